-- I3: commits are numbered one after the other, and no row is of a commit that was not made.
WITH made AS (
    SELECT coalesce(max(commit), 0) AS last, coalesce(min(commit), 1) AS first, count(*) AS n, count(DISTINCT commit) AS different FROM commits
),
used AS (
    SELECT coalesce(max(commit), 0) AS last
    FROM (
        SELECT max(commit) AS commit FROM requests
        UNION ALL SELECT max(commit) FROM request_windows
        UNION ALL SELECT max(commit) FROM request_sketches
        UNION ALL SELECT max(commit) FROM engine_windows
        UNION ALL SELECT max(commit) FROM gpu_windows
        UNION ALL SELECT max(commit) FROM node_windows
        UNION ALL SELECT max(commit) FROM kube_windows
        UNION ALL SELECT max(commit) FROM producer_coverage
        UNION ALL SELECT max(commit) FROM progress
        UNION ALL SELECT max(commit) FROM retention
    )
)
SELECT 'commit numbers' AS what, last AS expected, different AS found, last = different AND n = different AND first = 1 AS held
FROM made
UNION ALL
SELECT 'highest commit of a row', made.last, used.last, used.last <= made.last
FROM made, used
ORDER BY what
