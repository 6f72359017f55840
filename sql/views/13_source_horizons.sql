-- One row a topic and source kind: the horizons (v1.horizon) of what comes from it: the least over the partitions in which it was
-- seen and that are not idle; the latest where all are. source is NULL for events that name none. What names no producer
-- has no row.
CREATE OR REPLACE VIEW v1.source_horizons AS
SELECT
    s.topic,
    s.source,
    count(*) AS partitions,
    count(*) FILTER (idle) AS idle_partitions,
    coalesce(min(complete_through) FILTER (NOT idle), max(complete_through)) AS complete_through,
    coalesce(min(settled_through) FILTER (NOT idle OR open_requests > 0), max(complete_through)) AS settled_through
FROM (SELECT DISTINCT topic, partition, source FROM v1.producers) s
JOIN v1.progress p USING (topic, partition)
GROUP BY s.topic, s.source;
