-- I2: each level of windows sums to what it has taken in of the level below.
WITH positions AS (
    SELECT source, level, commit, CASE level WHEN 60 THEN 10 WHEN 900 THEN 60 ELSE 900 END AS below
    FROM rollup_positions
),
sums AS (
    SELECT 'request_windows' AS source, level, commit, sum(finished) + sum(output_tokens) + sum(running_ns) AS total FROM request_windows GROUP BY ALL
    UNION ALL
    SELECT 'request_sketches', level, commit, sum(n) + sum(total) + sum(list_sum(cnt)::BIGINT) FROM request_sketches GROUP BY ALL
    UNION ALL
    SELECT 'engine_windows', level, commit, sum(samples) + coalesce(sum(list_sum([*COLUMNS('_(value_ns|observed_ns|increase)$')])), 0) FROM engine_windows GROUP BY ALL
    UNION ALL
    SELECT 'gpu_windows', level, commit, sum(samples) + coalesce(sum(list_sum([*COLUMNS('_(value_ns|observed_ns|increase)$')])), 0) FROM gpu_windows GROUP BY ALL
    UNION ALL
    SELECT 'node_windows', level, commit, sum(samples) + coalesce(sum(list_sum([*COLUMNS('_(value_ns|observed_ns|increase)$')])), 0) FROM node_windows GROUP BY ALL
    UNION ALL
    SELECT 'kube_windows', level, commit, sum(samples) + coalesce(sum(list_sum([*COLUMNS('_(value_ns|observed_ns|increase)$')])), 0) FROM kube_windows GROUP BY ALL
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
