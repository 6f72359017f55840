-- I3: one position a partition, replay at or before next, and no row or decision beyond next.
WITH beyond AS (
    SELECT topic, partition, max("offset") + 1 AS reached FROM requests GROUP BY ALL
    UNION ALL
    SELECT topic, partition, max("offset") + 1 FROM dead_letters GROUP BY ALL
    UNION ALL
    SELECT topic, partition, max("offset") + 1 FROM clock_exceptions GROUP BY ALL
    UNION ALL
    SELECT topic, partition, max("offset") FROM ticks GROUP BY ALL
)
SELECT 'positions of ' || topic || '/' || partition AS what, 1 AS expected, count(*) AS found, count(*) = 1 AS held
FROM progress
GROUP BY topic, partition
UNION ALL
SELECT 'replay offset of ' || topic || '/' || partition, next_offset, replay_offset, replay_offset BETWEEN 0 AND next_offset
FROM progress
UNION ALL
SELECT 'reached in ' || beyond.topic || '/' || beyond.partition, any_value(next_offset), max(reached), coalesce(max(reached) <= any_value(next_offset), false)
FROM beyond
LEFT JOIN progress USING (topic, partition)
GROUP BY beyond.topic, beyond.partition
ORDER BY what
