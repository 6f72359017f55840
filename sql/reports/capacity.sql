-- Capacity
--
-- What was asked of the engines at most, what they can hold, and how close they came. Peaks are of the busiest minute, in a
-- range of more than three days of the busiest quarter of an hour:
-- requests and tokens a second, and running requests, against limit: max sequences of the engines that told anything in
-- it. at_kv, at_sequences and queued are shares of the engines' time, by the same: a KV cache at 95 % or more, as many running
-- requests as may run, waiting requests. GPU-hours are those that instances held; idle_gpu_hours those of minutes in which a ready
-- engine ran nothing (empty: no engine told); GPUs that were seen and held by no instance have a row without a name.
-- headroom is what the busiest minute left of the scarcer of sequences and KV cache (bound_by): method says of which.
-- It takes load and use for proportional and says nothing of other traffic. GPU use is shown beside it, and does not bind.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, deployment, namespace, node, gpu_type, instance}: What to group by.
--
-- unit coverage, running_of_limit, kv_peak, at_kv, at_sequences, queued, headroom, gpu_util: ratio
-- unit request_peak: requests/s
-- unit input_peak, output_peak: tokens/s
-- unit gpu_hours, idle_gpu_hours, unheld_gpu_hours: GPU·h
-- optional method, coverage, input_peak, instances, gpu_util, unheld_gpu_hours, kv_peak, limit, running_peak, at_sequences, at_kv, idle_gpu_hours, gpu_hours, running_of_limit, output_peak
-- horizon settled
-- layer capacity
-- chart bars "Share of time at a limit": at_kv, at_sequences, queued over group
-- chart bars "GPU-hours": gpu_hours, idle_gpu_hours, unheld_gpu_hours over group
-- chart bars "Headroom": headroom over group
WITH span AS (
    SELECT
        coalesce($from::TIMESTAMP, min(first_at)) AS since,
        coalesce($to::TIMESTAMP, max(last_at)) AS until,
        v1.minute_tier($from::TIMESTAMP, $to::TIMESTAMP, v1.seconds_between(since, until)) AS minute_tier
    FROM v1.sample_spans
    WHERE kind IN ('engine', 'gpu')
),
engine_minutes AS (
    SELECT
        v1.engine_group(
            $by, e.instance, coalesce(e.model, p.model), coalesce(e.model_version, p.model_version), p.deployment, p.namespace, p.node, p.gpu_type
        ) AS key,
        e.*,
        greatest(*COLUMNS('_observed_ns$')) AS known_ns,
        coalesce(e.max_sequences_max, p.max_sequences) AS limit_sequences,
        p.gpus_ppm
    FROM v1.engine_range((SELECT minute_tier FROM span), $from::TIMESTAMP, $to::TIMESTAMP) e
    LEFT JOIN v1.instance_places p ON p.instance = e.instance
),
-- The engines of an instance share its GPUs: it is idle when all of them are.
idle_minutes AS (
    SELECT key, window_start, instance, max(gpus_ppm) AS gpus_ppm, min(running_requests_observed_ns) AS idle_ns
    FROM engine_minutes
    GROUP BY key, window_start, instance
    HAVING max(coalesce(running_requests_max, 0)) = 0 AND max(running_requests_value_ns) = 0
),
idle AS (
    SELECT key, sum(idle_ns::HUGEINT * gpus_ppm) AS idle_ppm_ns
    FROM idle_minutes
    GROUP BY key
),
minutes AS (
    SELECT
        key,
        window_start,
        sum(v1.milli_mean(running_requests_value_ns, running_requests_observed_ns)) AS running,
        sum(v1.milli_mean(running_requests_value_ns, running_requests_observed_ns)) FILTER (limit_sequences > 0) AS limited_running,
        sum(limit_sequences) AS limit_sequences,
        v1.time_mean(sum(kv_cache_usage_ppm_value_ns), sum(kv_cache_usage_ppm_observed_ns)) AS kv,
        sum(known_ns) AS known_ns,
        sum(kv_cache_usage_ppm_observed_ns) AS kv_ns,
        sum(kv_cache_usage_ppm_observed_ns) FILTER (kv_cache_usage_ppm_value_ns >= 950000 * kv_cache_usage_ppm_observed_ns) AS full_kv_ns,
        sum(running_requests_observed_ns) FILTER (limit_sequences > 0) AS running_ns,
        sum(running_requests_observed_ns) FILTER (running_requests_max >= limit_sequences) AS full_ns,
        sum(waiting_requests_observed_ns) AS waiting_ns,
        sum(waiting_requests_observed_ns) FILTER (waiting_requests_value_ns > 0) AS queued_ns,
        sum(running_requests_observed_ns) AS told_ns
    FROM engine_minutes
    GROUP BY key, window_start
),
loads AS (
    SELECT
        key,
        max(running) AS running_peak,
        max(v1.ratio(limited_running, limit_sequences * 1000)) AS running_of_limit,
        max(limit_sequences) AS limit_sequences,
        max(kv) / 1e6 AS kv_peak,
        sum(known_ns) AS known_ns,
        sum(told_ns) AS told_ns,
        v1.ratio(coalesce(sum(full_kv_ns), 0), sum(kv_ns)) AS at_kv,
        v1.ratio(coalesce(sum(full_ns), 0), sum(running_ns)) AS at_sequences,
        v1.ratio(coalesce(sum(queued_ns), 0), sum(waiting_ns)) AS queued
    FROM minutes
    GROUP BY key
),
legs AS (
    SELECT
        coalesce(model, '') AS model,
        v1.first_of(['engine', 'prefill', 'decode', 'gateway', 'client'], list(DISTINCT role)) AS prompt_role,
        v1.first_of(['engine', 'decode', 'prefill', 'gateway', 'client'], list(DISTINCT role)) AS output_role
    FROM v1.request_window_deltas
    WHERE level_seconds = v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP)
        AND v1.in_range(window_start, $from::TIMESTAMP, $to::TIMESTAMP)
    GROUP BY coalesce(model, '')
),
request_minutes AS (
    SELECT
        v1.engine_group(
            $by, w.instance, coalesce(w.model, p.model), coalesce(w.model_version, p.model_version), p.deployment, p.namespace, p.node, p.gpu_type
        ) AS key,
        w.window_start,
        sum(w.finished) FILTER (w.role IS NOT DISTINCT FROM l.output_role) AS finished,
        sum(w.prompt_tokens) FILTER (w.role IS NOT DISTINCT FROM l.prompt_role) AS input_tokens,
        sum(w.output_tokens) FILTER (w.role IS NOT DISTINCT FROM l.output_role) AS output_tokens
    FROM v1.request_window_deltas w
    JOIN legs l ON l.model = coalesce(w.model, '')
    LEFT JOIN v1.instance_places p ON p.instance = w.instance
    WHERE w.level_seconds = (SELECT minute_tier FROM span)
        AND v1.in_range(w.window_start, $from::TIMESTAMP, $to::TIMESTAMP)
    GROUP BY 1, w.window_start
),
peaks AS (
    SELECT
        key,
        max(finished) / any_value((SELECT minute_tier FROM span)) AS request_peak,
        max(input_tokens) / any_value((SELECT minute_tier FROM span)) AS input_peak,
        max(output_tokens) / any_value((SELECT minute_tier FROM span)) AS output_peak
    FROM request_minutes
    GROUP BY key
    HAVING coalesce(max(finished), max(input_tokens), max(output_tokens)) > 0
),
held AS (
    SELECT
        v1.engine_group($by, i.instance, i.model, i.model_version, i.deployment, i.namespace, i.node, i.gpu_type) AS key,
        count(DISTINCT i.instance) AS instances,
        sum(v1.overlap_ns(i.from_at, coalesce(i.to_at, s.until), s.since, s.until)) AS expected_ns,
        sum(v1.overlap_ns(i.from_at, coalesce(i.to_at, s.until), s.since, s.until) * i.gpus_ppm) AS gpu_ppm_ns
    FROM v1.instances i, span s
    WHERE coalesce(i.role, '') NOT IN ('gateway', 'client')
        AND i.from_at < s.until
        AND coalesce(i.to_at, 'infinity'::TIMESTAMP) > s.since
    GROUP BY 1
),
device_windows AS (
    SELECT
        d.device,
        d.window_start,
        any_value(d.gpu_type) AS gpu_type,
        any_value(d.node) AS node,
        any_value(d.known_ns) AS known_ns,
        any_value(d.utilization_ppm_value_ns) AS util_value_ns,
        any_value(d.utilization_ppm_observed_ns) AS util_ns,
        max(v1.overlap_ns(
            h.from_at, coalesce(h.to_at, s.until), d.window_start,
            d.window_start + to_seconds(v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP))
        )) AS held_ns,
        max(v1.engine_group($by, h.instance, h.model, h.model_version, h.deployment, h.namespace, h.node, h.gpu_type)) AS key
    FROM v1.device_range(v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP), $from::TIMESTAMP, $to::TIMESTAMP) d
    CROSS JOIN span s
    LEFT JOIN v1.instance_gpus h
        ON h.device = d.device
        AND h.from_at < d.window_start + to_seconds(v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP))
        AND coalesce(h.to_at, 'infinity'::TIMESTAMP) > d.window_start
    GROUP BY d.device, d.window_start
),
devices AS (
    SELECT
        CASE WHEN held_ns > 0 THEN key END AS key,
        sum(CASE WHEN coalesce(held_ns, 0) = 0 THEN known_ns END) AS unheld_ns,
        sum(util_value_ns) AS util_value_ns,
        sum(util_ns) AS util_ns
    FROM device_windows
    GROUP BY 1
),
keys AS (
    SELECT key FROM loads
    UNION
    SELECT key FROM peaks
    UNION
    SELECT key FROM held
    UNION
    SELECT key FROM devices
)
SELECT
    k.key AS "group",
    h.instances,
    v1.covered(l.known_ns, h.expected_ns) AS coverage,
    p.request_peak,
    p.input_peak,
    p.output_peak,
    l.running_peak / 1e3 AS running_peak,
    l.limit_sequences::BIGINT AS "limit",
    l.running_of_limit,
    l.kv_peak,
    l.at_kv,
    l.at_sequences,
    l.queued,
    v1.time_mean(d.util_value_ns, d.util_ns) / 1e6 AS gpu_util,
    v1.ratio(h.gpu_ppm_ns, 3600000000000000000::HUGEINT) AS gpu_hours,
    CASE WHEN l.told_ns > 0 AND h.gpu_ppm_ns > 0 THEN coalesce(v1.ratio(i.idle_ppm_ns, 3600000000000000000::HUGEINT), 0) END AS idle_gpu_hours,
    v1.ratio(d.unheld_ns, 3600000000000) AS unheld_gpu_hours,
    CASE WHEN l.running_of_limit IS NOT NULL AND l.kv_peak IS NOT NULL THEN greatest(1 - greatest(l.running_of_limit, l.kv_peak), 0) END AS headroom,
    CASE
        WHEN l.running_of_limit IS NULL OR l.kv_peak IS NULL THEN NULL
        WHEN l.running_of_limit >= l.kv_peak THEN 'sequences'
        ELSE 'KV cache'
    END AS bound_by,
    CASE WHEN l.running_of_limit IS NOT NULL AND l.kv_peak IS NOT NULL THEN CASE WHEN s.minute_tier = 900 THEN 'busiest quarter' ELSE 'busiest minute' END END AS method,
    s.since AS window_from,
    s.until AS window_to
FROM keys k
CROSS JOIN span s
LEFT JOIN loads l ON l.key IS NOT DISTINCT FROM k.key
LEFT JOIN idle i ON i.key IS NOT DISTINCT FROM k.key
LEFT JOIN peaks p ON p.key IS NOT DISTINCT FROM k.key
LEFT JOIN held h ON h.key IS NOT DISTINCT FROM k.key
LEFT JOIN devices d ON d.key IS NOT DISTINCT FROM k.key
ORDER BY k.key NULLS LAST;
