-- Cost per token
--
-- What tokens cost on two bases. Allocation: all that GPUs cost while they were held, over the tokens made meanwhile; it adds
-- up to the bill (usd_per_million_tokens of all, held_usd_per_million_output_tokens of the output alone). Usage: what the GPU
-- time cost that requests used, by phase: prefill over the prompt tokens computed, reading over the cached ones, decode over
-- the output. The rest of the bill is startup, idle, down, and what no request accounts for. GPU time without a price, and
-- tokens on no known instance, have rows of their own with no cost: unpriced is not free. method says how busy time was divided
-- among requests: step_shapley from forward passes, interval_shapley from the marks of requests, wall_equal_share where nothing
-- better was known; the range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param by VARCHAR = model_version {all, model, model_version, deployment, namespace, cluster, region, node, pod, instance, gpu_type, engine, hour, day, month}: What to group by; model and version are those that the instance serves.
-- param zone VARCHAR = UTC: Time zone of hours, days and months.
--
-- unit usd, used_usd: USD
-- unit gpu_hours: GPU·h
-- unit utilization_ratio: ratio
-- unit usd_per_million_input_tokens, usd_per_million_cached_tokens, usd_per_million_output_tokens, usd_per_million_tokens, held_usd_per_million_output_tokens: USD/1M
-- unit output_tokens_per_gpu_second, output_tokens_per_busy_gpu_second: tokens/GPU·s
-- optional requests, priced, cached_tokens, output_tokens_per_busy_gpu_second, uncached_tokens, methods, output_tokens_per_gpu_second
-- horizon settled
-- layer cost
-- chart bars "Cost per 1M tokens, by phase": usd_per_million_input_tokens, usd_per_million_output_tokens over group
-- chart bars "Share of paid GPU time that was used": utilization_ratio over group
WITH span AS (
    FROM v1.cost_span($from, $to)
),
held AS (
    SELECT
        v1.cost_group(
            $by, a.model, a.model_version, a.deployment, a.namespace, a.cluster, a.region, a.node, a.pod, a.instance, a.gpu_type,
            a.engine, a.engine_version, a.quarter, $zone
        ) AS key,
        a.usd IS NOT NULL AS priced,
        sum(a.held_ns::HUGEINT * a.gpus_ppm) AS gpu_ppm_ns,
        sum(a.busy_ns::HUGEINT * a.gpus_ppm) AS busy_ppm_ns,
        sum(a.usd) AS usd,
        list(DISTINCT a.method ORDER BY a.method) FILTER (a.method IS NOT NULL) AS methods
    FROM v1.allocations a, span s
    WHERE a.quarter >= s.since
        AND a.quarter < s.until
        AND a.held_ns IS NOT NULL
    GROUP BY ALL
),
used AS (
    SELECT
        v1.cost_group(
            $by, coalesce(c.instance_model, c.model), coalesce(c.instance_model_version, c.model_version), c.deployment, c.namespace,
            c.cluster, c.region, c.node, c.pod, c.instance, c.gpu_type, c.engine, c.engine_version, c.quarter, $zone
        ) AS key,
        c.prefill_picodollars IS NOT NULL AS priced,
        sum(c.requests)::BIGINT AS requests,
        sum(c.uncached_tokens)::BIGINT AS uncached_tokens,
        sum(c.cached_tokens)::BIGINT AS cached_tokens,
        sum(c.output_tokens)::BIGINT AS output_tokens,
        v1.usd_of(sum(c.prefill_picodollars)) AS prefill_usd,
        v1.usd_of(sum(c.cached_picodollars)) AS cached_usd,
        v1.usd_of(sum(c.decode_picodollars)) AS decode_usd
    FROM v1.charges c, span s
    WHERE c.quarter >= s.since
        AND c.quarter < s.until
    GROUP BY ALL
),
matched AS (
    SELECT
        CASE WHEN h.priced IS NULL THEN u.key ELSE h.key END AS key,
        coalesce(h.priced, u.priced) AS priced,
        h.* EXCLUDE (key, priced),
        u.* EXCLUDE (key, priced)
    FROM held h
    FULL JOIN used u
        ON coalesce(u.key, '') = coalesce(h.key, '')
        AND u.priced = h.priced
)
SELECT
    key AS "group",
    priced,
    requests,
    uncached_tokens,
    cached_tokens,
    output_tokens,
    v1.ratio(gpu_ppm_ns, 3600000000000000000::HUGEINT) AS gpu_hours,
    usd,
    prefill_usd + cached_usd + decode_usd AS used_usd,
    v1.ratio(busy_ppm_ns, gpu_ppm_ns) AS utilization_ratio,
    v1.ratio(prefill_usd * 1000000, uncached_tokens) AS usd_per_million_input_tokens,
    v1.ratio(cached_usd * 1000000, cached_tokens) AS usd_per_million_cached_tokens,
    v1.ratio(decode_usd * 1000000, output_tokens) AS usd_per_million_output_tokens,
    v1.ratio(usd * 1000000, coalesce(uncached_tokens, 0) + coalesce(cached_tokens, 0) + coalesce(output_tokens, 0)) AS usd_per_million_tokens,
    v1.ratio(usd * 1000000, output_tokens) AS held_usd_per_million_output_tokens,
    v1.ratio(output_tokens, gpu_ppm_ns / 1e15) AS output_tokens_per_gpu_second,
    v1.ratio(output_tokens, busy_ppm_ns / 1e15) AS output_tokens_per_busy_gpu_second,
    array_to_string(methods, ', ') AS methods,
    since AS window_from,
    until AS window_to
FROM matched, span
ORDER BY key NULLS LAST, priced DESC;
