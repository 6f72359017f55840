-- I4: the events in rows, and in those that retention removed, are among those loaded; heartbeats are loaded without a row.
WITH in_rows AS (
    SELECT topic, partition, lineage, sum(events) AS events FROM requests GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, count(*) FROM engine_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, count(*) FROM step_runs GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, count(*) FROM gpu_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, count(*) FROM gpu_faults GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, count(*) FROM node_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, count(*) FROM kube_samples GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, count(*) FROM instance_events GROUP BY ALL
    UNION ALL SELECT topic, partition, lineage, sum(events) FROM retention WHERE topic IS NOT NULL GROUP BY ALL
),
logs AS (
    SELECT topic, partition, lineage, loaded FROM progress
    UNION ALL
    SELECT topic, partition, lineage - 1, loaded FROM lineages
)
SELECT 'events in rows of ' || p.topic || '/' || p.partition || if(p.lineage > 1, ' of lineage ' || p.lineage, '') AS what,
    p.loaded AS expected, coalesce(sum(r.events), 0) AS found,
    coalesce(sum(r.events), 0) <= p.loaded AS held
FROM logs p
LEFT JOIN in_rows r ON r.topic = p.topic AND r.partition = p.partition AND r.lineage = p.lineage
GROUP BY p.topic, p.partition, p.lineage, p.loaded
ORDER BY what
