-- The stored deltas under every tier that they belong to: a tier has its own rows and those that are not rolled up yet.
-- Sums over these views are exact; the window views group them. A query filters on one level_seconds.
-- A tier that a query finds out while it runs is also a filter of the scans: level is the tier of its own rows.

-- One row a stored delta of sums and tier.
CREATE OR REPLACE VIEW v1.request_window_deltas AS
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE level = 10 AND window_start >= v1.kept_from('request_windows', 10)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE level = 60 AND window_start >= v1.kept_from('request_windows', 60)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE level = 900 AND window_start >= v1.kept_from('request_windows', 900)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_windows
WHERE level = 86400 AND window_start >= v1.kept_from('request_windows', 86400)
UNION ALL BY NAME
SELECT r.upper_level::BIGINT AS level_seconds, v1.window_of(r.upper_level, d.window_start) AS window_start, d.* EXCLUDE (level, window_start)
FROM main.request_windows d
JOIN v1.rests('request_windows') r ON d.level = r.lower_level AND d.commit > r.after_commit
WHERE d.commit > v1.rests_after('request_windows') AND d.window_start >= r.kept_from;

-- One row a stored delta of a distribution and tier.
CREATE OR REPLACE VIEW v1.request_sketch_deltas AS
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE level = 10 AND window_start >= v1.kept_from('request_sketches', 10)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE level = 60 AND window_start >= v1.kept_from('request_sketches', 60)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE level = 900 AND window_start >= v1.kept_from('request_sketches', 900)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.request_sketches
WHERE level = 86400 AND window_start >= v1.kept_from('request_sketches', 86400)
UNION ALL BY NAME
SELECT r.upper_level::BIGINT AS level_seconds, v1.window_of(r.upper_level, d.window_start) AS window_start, d.* EXCLUDE (level, window_start)
FROM main.request_sketches d
JOIN v1.rests('request_sketches') r ON d.level = r.lower_level AND d.commit > r.after_commit
WHERE d.commit > v1.rests_after('request_sketches') AND d.window_start >= r.kept_from;
