-- The stored deltas of gauges and counters under every tier that they belong to, as 30_deltas has those of requests.

-- One row a stored delta of an engine and tier.
CREATE OR REPLACE VIEW v1.engine_window_deltas AS
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE level = 10 AND window_start >= v1.kept_from('engine_windows', 10)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE level = 60 AND window_start >= v1.kept_from('engine_windows', 60)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE level = 900 AND window_start >= v1.kept_from('engine_windows', 900)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE level = 86400 AND window_start >= v1.kept_from('engine_windows', 86400)
UNION ALL BY NAME
SELECT r.upper_level::BIGINT AS level_seconds, v1.window_of(r.upper_level, d.window_start) AS window_start, d.* EXCLUDE (level, window_start)
FROM main.engine_windows d
JOIN v1.rests('engine_windows') r ON d.level = r.lower_level AND d.commit > r.after_commit
WHERE d.commit > v1.rests_after('engine_windows') AND d.window_start >= r.kept_from;

-- One row a stored delta of a GPU and tier.
CREATE OR REPLACE VIEW v1.gpu_window_deltas AS
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE level = 10 AND window_start >= v1.kept_from('gpu_windows', 10)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE level = 60 AND window_start >= v1.kept_from('gpu_windows', 60)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE level = 900 AND window_start >= v1.kept_from('gpu_windows', 900)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE level = 86400 AND window_start >= v1.kept_from('gpu_windows', 86400)
UNION ALL BY NAME
SELECT r.upper_level::BIGINT AS level_seconds, v1.window_of(r.upper_level, d.window_start) AS window_start, d.* EXCLUDE (level, window_start)
FROM main.gpu_windows d
JOIN v1.rests('gpu_windows') r ON d.level = r.lower_level AND d.commit > r.after_commit
WHERE d.commit > v1.rests_after('gpu_windows') AND d.window_start >= r.kept_from;

-- One row a stored delta of a node and tier.
CREATE OR REPLACE VIEW v1.node_window_deltas AS
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE level = 10 AND window_start >= v1.kept_from('node_windows', 10)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE level = 60 AND window_start >= v1.kept_from('node_windows', 60)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE level = 900 AND window_start >= v1.kept_from('node_windows', 900)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE level = 86400 AND window_start >= v1.kept_from('node_windows', 86400)
UNION ALL BY NAME
SELECT r.upper_level::BIGINT AS level_seconds, v1.window_of(r.upper_level, d.window_start) AS window_start, d.* EXCLUDE (level, window_start)
FROM main.node_windows d
JOIN v1.rests('node_windows') r ON d.level = r.lower_level AND d.commit > r.after_commit
WHERE d.commit > v1.rests_after('node_windows') AND d.window_start >= r.kept_from;

-- One row a stored delta of a Kubernetes object and tier.
CREATE OR REPLACE VIEW v1.kube_window_deltas AS
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE level = 10 AND window_start >= v1.kept_from('kube_windows', 10)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE level = 60 AND window_start >= v1.kept_from('kube_windows', 60)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE level = 900 AND window_start >= v1.kept_from('kube_windows', 900)
UNION ALL BY NAME
SELECT level AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE level = 86400 AND window_start >= v1.kept_from('kube_windows', 86400)
UNION ALL BY NAME
SELECT r.upper_level::BIGINT AS level_seconds, v1.window_of(r.upper_level, d.window_start) AS window_start, d.* EXCLUDE (level, window_start)
FROM main.kube_windows d
JOIN v1.rests('kube_windows') r ON d.level = r.lower_level AND d.commit > r.after_commit
WHERE d.commit > v1.rests_after('kube_windows') AND d.window_start >= r.kept_from;
