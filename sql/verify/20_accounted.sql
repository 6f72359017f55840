-- I4: every event is accounted for: consumed = loaded + pending + duplicate + dead.
SELECT 'events of ' || topic || '/' || partition AS what, consumed AS expected, loaded + pending + duplicate + dead AS found,
    consumed = loaded + pending + duplicate + dead AS held
FROM progress
UNION ALL
SELECT 'dead letters of ' || p.topic || '/' || p.partition, p.dead, coalesce(sum(d.events), 0), p.dead = coalesce(sum(d.events), 0)
FROM progress p
LEFT JOIN dead_letters d ON d.topic = p.topic AND d.partition = p.partition
GROUP BY p.topic, p.partition, p.dead
ORDER BY what
