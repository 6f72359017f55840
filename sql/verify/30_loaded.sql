-- I4: the events in rows are among those loaded; heartbeats are loaded without a row.
WITH in_rows AS (
    SELECT topic, partition, sum(events) AS events FROM requests GROUP BY ALL
    UNION ALL SELECT topic, partition, count(*) FROM engine_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, count(*) FROM step_runs GROUP BY ALL
    UNION ALL SELECT topic, partition, count(*) FROM gpu_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, count(*) FROM gpu_faults GROUP BY ALL
    UNION ALL SELECT topic, partition, count(*) FROM node_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, count(*) FROM kube_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, count(*) FROM instance_events GROUP BY ALL
)
SELECT 'events in rows of ' || p.topic || '/' || p.partition AS what, p.loaded AS expected, coalesce(sum(r.events), 0) AS found,
    coalesce(sum(r.events), 0) <= p.loaded AS held
FROM progress p
LEFT JOIN in_rows r ON r.topic = p.topic AND r.partition = p.partition
GROUP BY p.topic, p.partition, p.loaded
ORDER BY what
