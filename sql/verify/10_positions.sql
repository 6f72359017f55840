-- I3: one position a partition, replay at or before next, and no row or decision beyond where its log was folded up to.
WITH beyond AS (
    SELECT topic, partition, lineage, max("offset") + 1 AS reached FROM requests GROUP BY ALL
    UNION ALL
    SELECT topic, partition, lineage, max("offset") + 1 FROM dead_letters GROUP BY ALL
    UNION ALL
    SELECT topic, partition, lineage, max("offset") + 1 FROM clock_exceptions GROUP BY ALL
    UNION ALL
    SELECT topic, partition, lineage, max("offset") FROM ticks GROUP BY ALL
),
folded AS (
    SELECT topic, partition, lineage, next_offset FROM progress
    UNION ALL
    SELECT topic, partition, lineage - 1, at_offset FROM lineages
)
SELECT 'positions of ' || topic || '/' || partition AS what, 1 AS expected, count(*) AS found, count(*) = 1 AS held
FROM progress
GROUP BY topic, partition
UNION ALL
SELECT 'replay offset of ' || topic || '/' || partition, next_offset, replay_offset, replay_offset BETWEEN 0 AND next_offset
FROM progress
UNION ALL
SELECT 'reached in ' || beyond.topic || '/' || beyond.partition || if(beyond.lineage > 1, ' of lineage ' || beyond.lineage, ''),
    any_value(next_offset), max(reached), coalesce(max(reached) <= any_value(next_offset), false)
FROM beyond
LEFT JOIN folded USING (topic, partition, lineage)
GROUP BY beyond.topic, beyond.partition, beyond.lineage
UNION ALL
SELECT 'logs of ' || p.topic || '/' || p.partition, p.lineage, count(l.lineage) + 1, p.lineage = count(l.lineage) + 1
FROM progress p
LEFT JOIN lineages l ON l.topic = p.topic AND l.partition = p.partition
GROUP BY p.topic, p.partition, p.lineage
HAVING p.lineage > 1 OR count(l.lineage) > 0
ORDER BY what
