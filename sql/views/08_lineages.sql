-- One row a log that took the place of another under the same name: a topic made anew, one that lost its tail, another
-- cluster's. lineage is the new log's number; at_offset is where the old one stood, and the counts are all that came of
-- it: consumed = loaded + unfinished + duplicate + dead. unfinished events were of requests without an end; they have
-- rows only where the state at the end was at hand, and then count as loaded. What else the old log held is not known.
CREATE OR REPLACE VIEW v1.lineages AS
SELECT
    l.topic,
    l.partition,
    l.lineage,
    c."at" AS began_at,
    l.why,
    l.at_offset,
    l.state_offset,
    l.cluster_id,
    l.topic_id,
    l.records,
    l.consumed,
    l.loaded,
    l.pending AS unfinished,
    l.duplicate,
    l.dead,
    l.late,
    coalesce(l.evicted, 0) AS evicted,
    coalesce(l.forgotten, 0) AS forgotten,
    coalesce(l.others, 0) AS other_bookings,
    coalesce(l.stale, 0) AS stale_samples,
    l.commit
FROM main.lineages l
LEFT JOIN main.commits c ON c.commit = l.commit;
