-- What reports read of gauges and counters: the sums of one tier's windows in a range of time, before any division.
-- Sources that speak of one thing are not added up: the greatest counts. Several windows add up: a gauge's mean over any
-- union of them is Σ value_ns / Σ observed_ns.

-- One row a kind of sample: from when to when there are windows of it. Where the 10 s windows are gone, the 15 min windows say it.
CREATE OR REPLACE VIEW v1.sample_spans AS
WITH starts AS (
    SELECT 'engine' AS kind, level, min(window_start)::TIMESTAMP AS first, max(window_start)::TIMESTAMP AS last FROM main.engine_windows GROUP BY level
    UNION ALL
    SELECT 'gpu', level, min(window_start)::TIMESTAMP, max(window_start)::TIMESTAMP FROM main.gpu_windows GROUP BY level
    UNION ALL
    SELECT 'node', level, min(window_start)::TIMESTAMP, max(window_start)::TIMESTAMP FROM main.node_windows GROUP BY level
    UNION ALL
    SELECT 'kube', level, min(window_start)::TIMESTAMP, max(window_start)::TIMESTAMP FROM main.kube_windows GROUP BY level
),
spans AS (
    SELECT
        kind,
        min(first) FILTER (level = 10) AS fine_first,
        max(last) FILTER (level = 10) + INTERVAL 10 SECOND AS fine_last,
        min(first) FILTER (level = 900) AS coarse_first,
        max(last) FILTER (level = 900) + INTERVAL 15 MINUTE AS coarse_last
    FROM starts
    GROUP BY kind
)
SELECT
    kind,
    CASE WHEN fine_first < coarse_first + INTERVAL 15 MINUTE OR coarse_first IS NULL THEN fine_first ELSE coarse_first END AS first_at,
    coalesce(fine_last, coarse_last) AS last_at
FROM spans;

-- One row: the range of FROM v1.sample_span(kind, since, until, step): as given, else what there are windows of; and the
-- length of a step in it, in seconds; and the tier for shares of time.
CREATE OR REPLACE MACRO v1.sample_span(of_kind, since, until, step) AS TABLE
SELECT
    coalesce(since, first_at) AS since,
    coalesce(until, last_at) AS until,
    coalesce(step, v1.step_for(coalesce(since, first_at), coalesce(until, last_at))) AS step,
    v1.minute_tier(since, until, v1.seconds_between(coalesce(since, first_at), coalesce(until, last_at))) AS minute_tier
FROM v1.sample_spans
WHERE kind = of_kind;

-- One row a window and engine of FROM v1.engine_range(tier, since, until).
CREATE OR REPLACE MACRO v1.engine_range(tier, since, until) AS TABLE
SELECT
    window_start, instance, dp_index, model, model_version,
    sum(samples) AS samples,
    sum(COLUMNS('_(value_ns|observed_ns|increase)$')), min(COLUMNS('_min$')), max(COLUMNS('_max$'))
FROM v1.engine_window_deltas
WHERE level_seconds = tier
    AND v1.in_range(window_start, since, until)
GROUP BY ALL;

-- One row a window and GPU of FROM v1.gpu_range(tier, since, until).
CREATE OR REPLACE MACRO v1.gpu_range(tier, since, until) AS TABLE
WITH sources AS (
    SELECT window_start, gpu, node, instance, dp_index,
        sum(COLUMNS('_(value_ns|observed_ns|increase)$')), min(COLUMNS('_min$')), max(COLUMNS('_max$'))
    FROM v1.gpu_window_deltas
    WHERE level_seconds = tier
        AND v1.in_range(window_start, since, until)
    GROUP BY ALL
)
SELECT window_start, gpu, max(node) AS node, max(COLUMNS('_(value_ns|observed_ns|increase|max)$')), min(COLUMNS('_min$'))
FROM sources
GROUP BY window_start, gpu;

-- One row a window and node of FROM v1.node_range(tier, since, until).
CREATE OR REPLACE MACRO v1.node_range(tier, since, until) AS TABLE
WITH sources AS (
    SELECT window_start, node, instance, dp_index,
        sum(COLUMNS('_(value_ns|observed_ns|increase)$')), min(COLUMNS('_min$')), max(COLUMNS('_max$'))
    FROM v1.node_window_deltas
    WHERE level_seconds = tier
        AND v1.in_range(window_start, since, until)
    GROUP BY ALL
)
SELECT window_start, node, max(COLUMNS('_(value_ns|observed_ns|increase|max)$')), min(COLUMNS('_min$'))
FROM sources
GROUP BY window_start, node;

-- One row a window and pod, or deployment where pod is NULL, of FROM v1.kube_range(tier, since, until).
CREATE OR REPLACE MACRO v1.kube_range(tier, since, until) AS TABLE
WITH sources AS (
    SELECT window_start, namespace, deployment, pod, instance, dp_index,
        sum(COLUMNS('_(value_ns|observed_ns|increase)$')), min(COLUMNS('_min$')), max(COLUMNS('_max$'))
    FROM v1.kube_window_deltas
    WHERE level_seconds = tier
        AND v1.in_range(window_start, since, until)
    GROUP BY ALL
)
SELECT window_start, namespace, deployment, pod, max(COLUMNS('_(value_ns|observed_ns|increase|max)$')), min(COLUMNS('_min$'))
FROM sources
GROUP BY window_start, namespace, deployment, pod;

-- One row an instance of FROM v1.expected_time(since, until): how long it stood inside the range, for which samples are expected.
CREATE OR REPLACE MACRO v1.expected_time(since, until) AS TABLE
SELECT instance, v1.bigint(sum(v1.overlap_ns(from_at, coalesce(to_at, until), since, until))) AS expected_ns
FROM v1.instances
GROUP BY instance;
