-- The stored deltas under every tier that they belong to: a tier has its own rows and those that are not rolled up yet.
-- Sums over these views are exact; the window views group them. A query filters on one level_seconds.

-- One row a stored delta of sums and tier.
CREATE OR REPLACE VIEW v1.request_window_deltas AS
SELECT 10::BIGINT AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE v1.in_tier('request_windows', 10, level, commit, window_start)
UNION ALL BY NAME
SELECT 60::BIGINT AS level_seconds, v1.window_of(60, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE v1.in_tier('request_windows', 60, level, commit, window_start)
UNION ALL BY NAME
SELECT 900::BIGINT AS level_seconds, v1.window_of(900, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE v1.in_tier('request_windows', 900, level, commit, window_start)
UNION ALL BY NAME
SELECT 86400::BIGINT AS level_seconds, v1.window_of(86400, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE v1.in_tier('request_windows', 86400, level, commit, window_start);

-- One row a stored delta of a distribution and tier.
CREATE OR REPLACE VIEW v1.request_sketch_deltas AS
SELECT 10::BIGINT AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE v1.in_tier('request_sketches', 10, level, commit, window_start)
UNION ALL BY NAME
SELECT 60::BIGINT AS level_seconds, v1.window_of(60, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE v1.in_tier('request_sketches', 60, level, commit, window_start)
UNION ALL BY NAME
SELECT 900::BIGINT AS level_seconds, v1.window_of(900, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE v1.in_tier('request_sketches', 900, level, commit, window_start)
UNION ALL BY NAME
SELECT 86400::BIGINT AS level_seconds, v1.window_of(86400, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE v1.in_tier('request_sketches', 86400, level, commit, window_start);
