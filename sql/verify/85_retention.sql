-- Retention removed no window that the next level had not taken in. How many rows it removed (v1.retention) is shown.
WITH taken AS (
    SELECT source, CASE level WHEN 60 THEN 10 WHEN 900 THEN 60 ELSE 900 END AS level, commit
    FROM rollup_positions
)
SELECT 'windows removed that no level above had taken in' AS what, 0 AS expected, count(*) AS found, count(*) = 0 AS held
FROM retention r
LEFT JOIN taken t ON t.source = r."table" AND t.level = r.level
WHERE r.level IS NOT NULL AND NOT coalesce(r.until <= t.commit, FALSE)
UNION ALL
SELECT kind || ' removed by age', coalesce(sum(r.rows), 0), coalesce(sum(r.rows), 0), TRUE
FROM (VALUES ('rows of requests', 1), ('rows of samples', 2), ('rows of windows', 3)) k(kind, number)
LEFT JOIN retention r ON number = CASE WHEN r."table" = 'requests' THEN 1 WHEN r.level IS NULL THEN 2 ELSE 3 END
GROUP BY kind
ORDER BY what;
