-- The stored deltas of gauges and counters under every tier that they belong to, as 30_deltas has those of requests.

-- One row a stored delta of an engine and tier.
CREATE OR REPLACE VIEW v1.engine_window_deltas AS
SELECT 10::BIGINT AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE v1.in_tier('engine_windows', 10, level, commit, window_start)
UNION ALL BY NAME
SELECT 60::BIGINT AS level_seconds, v1.window_of(60, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE v1.in_tier('engine_windows', 60, level, commit, window_start)
UNION ALL BY NAME
SELECT 900::BIGINT AS level_seconds, v1.window_of(900, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE v1.in_tier('engine_windows', 900, level, commit, window_start)
UNION ALL BY NAME
SELECT 86400::BIGINT AS level_seconds, v1.window_of(86400, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.engine_windows
WHERE v1.in_tier('engine_windows', 86400, level, commit, window_start);

-- One row a stored delta of a GPU and tier.
CREATE OR REPLACE VIEW v1.gpu_window_deltas AS
SELECT 10::BIGINT AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE v1.in_tier('gpu_windows', 10, level, commit, window_start)
UNION ALL BY NAME
SELECT 60::BIGINT AS level_seconds, v1.window_of(60, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE v1.in_tier('gpu_windows', 60, level, commit, window_start)
UNION ALL BY NAME
SELECT 900::BIGINT AS level_seconds, v1.window_of(900, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE v1.in_tier('gpu_windows', 900, level, commit, window_start)
UNION ALL BY NAME
SELECT 86400::BIGINT AS level_seconds, v1.window_of(86400, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.gpu_windows
WHERE v1.in_tier('gpu_windows', 86400, level, commit, window_start);

-- One row a stored delta of a node and tier.
CREATE OR REPLACE VIEW v1.node_window_deltas AS
SELECT 10::BIGINT AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE v1.in_tier('node_windows', 10, level, commit, window_start)
UNION ALL BY NAME
SELECT 60::BIGINT AS level_seconds, v1.window_of(60, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE v1.in_tier('node_windows', 60, level, commit, window_start)
UNION ALL BY NAME
SELECT 900::BIGINT AS level_seconds, v1.window_of(900, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE v1.in_tier('node_windows', 900, level, commit, window_start)
UNION ALL BY NAME
SELECT 86400::BIGINT AS level_seconds, v1.window_of(86400, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.node_windows
WHERE v1.in_tier('node_windows', 86400, level, commit, window_start);

-- One row a stored delta of a Kubernetes object and tier.
CREATE OR REPLACE VIEW v1.kube_window_deltas AS
SELECT 10::BIGINT AS level_seconds, window_start::TIMESTAMP AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE v1.in_tier('kube_windows', 10, level, commit, window_start)
UNION ALL BY NAME
SELECT 60::BIGINT AS level_seconds, v1.window_of(60, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE v1.in_tier('kube_windows', 60, level, commit, window_start)
UNION ALL BY NAME
SELECT 900::BIGINT AS level_seconds, v1.window_of(900, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE v1.in_tier('kube_windows', 900, level, commit, window_start)
UNION ALL BY NAME
SELECT 86400::BIGINT AS level_seconds, v1.window_of(86400, window_start) AS window_start, * EXCLUDE (level, window_start)
FROM main.kube_windows
WHERE v1.in_tier('kube_windows', 86400, level, commit, window_start);
