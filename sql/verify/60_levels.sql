-- I2: each level of windows sums to what it has taken in of the level below, what retention removed included.
WITH positions AS (
    SELECT source, level, commit, CASE level WHEN 60 THEN 10 WHEN 900 THEN 60 ELSE 900 END AS below
    FROM rollup_positions
),
sums AS (
    SELECT 'request_windows' AS source, level, commit, v1.windows_total(finished, output_tokens, running_ns) AS total FROM request_windows GROUP BY ALL
    UNION ALL
    SELECT 'request_sketches', level, commit, v1.sketches_total(n, total, cnt) FROM request_sketches GROUP BY ALL
    UNION ALL
    SELECT 'engine_windows', level, commit, v1.samples_total(samples, [*COLUMNS('_(value_ns|observed_ns|increase)$')]) FROM engine_windows GROUP BY ALL
    UNION ALL
    SELECT 'gpu_windows', level, commit, v1.samples_total(samples, [*COLUMNS('_(value_ns|observed_ns|increase)$')]) FROM gpu_windows GROUP BY ALL
    UNION ALL
    SELECT 'node_windows', level, commit, v1.samples_total(samples, [*COLUMNS('_(value_ns|observed_ns|increase)$')]) FROM node_windows GROUP BY ALL
    UNION ALL
    SELECT 'kube_windows', level, commit, v1.samples_total(samples, [*COLUMNS('_(value_ns|observed_ns|increase)$')]) FROM kube_windows GROUP BY ALL
    UNION ALL
    SELECT "table", level, until, total FROM retention WHERE level IS NOT NULL
),
compared AS (
    SELECT p.source || ' at ' || p.level || ' s' AS what,
        coalesce((SELECT sum(total) FROM sums s WHERE s.source = p.source AND s.level = p.below AND s.commit <= p.commit), 0) AS expected,
        coalesce((SELECT sum(total) FROM sums s WHERE s.source = p.source AND s.level = p.level), 0) AS found
    FROM positions p
)
SELECT what, expected, found, expected = found AS held
FROM compared
ORDER BY what
