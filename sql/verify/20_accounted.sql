-- I4: every event is accounted for: consumed = loaded + pending + duplicate + dead, for each log.
WITH logs AS (
    SELECT topic, partition, lineage, consumed, loaded, pending, duplicate, dead FROM progress
    UNION ALL
    SELECT topic, partition, lineage - 1, consumed, loaded, pending, duplicate, dead FROM lineages
)
SELECT 'events of ' || topic || '/' || partition || if(lineage > 1, ' of lineage ' || lineage, '') AS what, consumed AS expected,
    loaded + pending + duplicate + dead AS found, consumed = loaded + pending + duplicate + dead AS held
FROM logs
UNION ALL
SELECT 'dead letters of ' || l.topic || '/' || l.partition || if(l.lineage > 1, ' of lineage ' || l.lineage, ''),
    l.dead, coalesce(sum(d.events), 0), l.dead = coalesce(sum(d.events), 0)
FROM logs l
LEFT JOIN dead_letters d ON d.topic = l.topic AND d.partition = l.partition AND d.lineage = l.lineage
GROUP BY l.topic, l.partition, l.lineage, l.dead
ORDER BY what
