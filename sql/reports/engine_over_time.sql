-- Engines over time
--
-- Load of the engines, step by step: running and waiting requests and the batch, added over a group's engines, and the usage
-- of their KV caches: the mean, and the greatest sample of any. A value is a mean over the time in which it was known; a
-- step in which nothing was known has no row, one in which some engine told nothing is lower: engines counts those that
-- told, coverage is the time that they did over their steps.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, deployment, namespace, node, gpu_type, instance}: What to group by.
-- param step BIGINT: Length of a step in seconds, a multiple of 10; at most 120 steps where not given.
--
-- unit coverage, kv_usage, kv_usage_max: ratio
-- optional waiting_max, batch_tokens, coverage, engines, running_max, batch
-- horizon complete
-- layer queue, batching, KV cache
-- chart lines "Running requests": running over time by group
-- chart lines "Waiting requests": waiting over time by group
-- chart lines "KV cache in use": kv_usage over time by group
-- chart lines "Batch": batch over time by group
WITH span AS (
    FROM v1.sample_span('engine', $from::TIMESTAMP, $to::TIMESTAMP, $step::BIGINT)
),
engines AS (
    SELECT
        time_bucket(to_seconds(s.step), w.window_start) AS "time",
        w.instance,
        w.dp_index,
        w.model,
        w.model_version,
        s.since,
        s.until,
        v1.bigint(sum(greatest(w.running_requests_observed_ns, w.waiting_requests_observed_ns, w.kv_cache_usage_ppm_observed_ns, w.batch_sequences_observed_ns))) AS known_ns,
        any_value(s.step) * 1000000000 AS step_ns,
        v1.milli_mean(sum(w.running_requests_value_ns), sum(w.running_requests_observed_ns)) AS running,
        max(w.running_requests_max) AS running_max,
        v1.milli_mean(sum(w.waiting_requests_value_ns), sum(w.waiting_requests_observed_ns)) AS waiting,
        max(w.waiting_requests_max) AS waiting_max,
        v1.milli_mean(sum(w.batch_sequences_value_ns), sum(w.batch_sequences_observed_ns)) AS batch,
        v1.milli_mean(sum(w.batch_tokens_value_ns), sum(w.batch_tokens_observed_ns)) AS batch_tokens,
        sum(w.kv_cache_usage_ppm_value_ns) AS kv_value_ns,
        sum(w.kv_cache_usage_ppm_observed_ns) AS kv_ns,
        max(w.kv_cache_usage_ppm_max) AS kv_usage_max
    FROM v1.engine_range(
        v1.step_tier((SELECT step FROM span), $from::TIMESTAMP, $to::TIMESTAMP), $from::TIMESTAMP, $to::TIMESTAMP
    ) w, span s
    GROUP BY ALL
)
SELECT
    e."time",
    v1.engine_group(
        $by, e.instance, coalesce(e.model, p.model), coalesce(e.model_version, p.model_version), p.deployment, p.namespace, p.node, p.gpu_type
    ) AS "group",
    count(*) AS engines,
    v1.covered(sum(e.known_ns), sum(e.step_ns)) AS coverage,
    sum(e.running) / 1e3 AS running,
    max(e.running_max) AS running_max,
    sum(e.waiting) / 1e3 AS waiting,
    max(e.waiting_max) AS waiting_max,
    sum(e.batch) / 1e3 AS batch,
    sum(e.batch_tokens) / 1e3 AS batch_tokens,
    v1.time_mean(sum(e.kv_value_ns), sum(e.kv_ns)) / 1e6 AS kv_usage,
    max(e.kv_usage_max) / 1e6 AS kv_usage_max,
    e.since AS window_from,
    e.until AS window_to
FROM engines e
LEFT JOIN v1.instance_places p ON p.instance = e.instance
GROUP BY ALL
ORDER BY e."time", "group" NULLS LAST;
