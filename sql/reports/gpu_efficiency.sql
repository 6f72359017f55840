-- GPU efficiency
--
-- How well the GPUs that are paid for are used: how the time in which they were held divides into startup, busy, idle and down, which
-- add up to it, and how many tokens a GPU-second made, of those held and of those busy. unattributed is what of busy no request
-- accounts for: lost requests, warm-up. energy is what the GPUs counted (no cooling, no host) while they were held, energy_coverage for
-- how much of the held time that is known; a quarter's tokens count for kwh_per_million_output_tokens where its energy is known. The
-- range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param by VARCHAR = model {all, model, model_version, deployment, namespace, cluster, region, node, pod, instance, gpu_type, engine, hour, day, month}: What to group by; model and version are those that the instance serves.
-- param zone VARCHAR = UTC: Time zone of hours, days and months.
--
-- unit gpu_hours, startup_gpu_hours, busy_gpu_hours, idle_gpu_hours, down_gpu_hours: GPU·h
-- unit utilization_ratio, unattributed_ratio: ratio
-- unit energy_kwh: kWh
-- unit kwh_per_million_output_tokens: kWh/1M tokens
-- unit energy_coverage: ratio
-- unit output_tokens_per_gpu_second, output_tokens_per_busy_gpu_second: tokens/GPU·s
-- optional energy_kwh, kwh_per_million_output_tokens, energy_coverage, down_gpu_hours, startup_gpu_hours, unattributed_ratio, instances, output_tokens
-- horizon settled
-- layer cost, capacity
-- chart stack "Held GPU time": busy_gpu_hours, idle_gpu_hours, startup_gpu_hours, down_gpu_hours over group
-- chart bars "Output tokens per GPU-second": output_tokens_per_gpu_second, output_tokens_per_busy_gpu_second over group
WITH span AS (
    FROM v1.cost_span($from, $to)
),
energy AS (
    SELECT e.* FROM v1.instance_energy((SELECT since FROM span), (SELECT until FROM span)) e
),
held AS (
    SELECT
        v1.cost_group(
            $by, a.model, a.model_version, a.deployment, a.namespace, a.cluster, a.region, a.node, a.pod, a.instance, a.gpu_type,
            a.engine, a.engine_version, a.quarter, $zone
        ) AS key,
        count(DISTINCT a.instance) AS instances,
        sum(a.held_ns::HUGEINT * a.gpus_ppm) AS held,
        sum(a.startup_ns::HUGEINT * a.gpus_ppm) AS startup,
        sum(a.busy_ns::HUGEINT * a.gpus_ppm) AS busy,
        sum(a.idle_ns::HUGEINT * a.gpus_ppm) AS idle,
        sum(a.down_ns::HUGEINT * a.gpus_ppm) AS down,
        sum(a.unattributed_ns::HUGEINT * a.gpus_ppm) AS unattributed,
        sum(e.millijoules * a.rank_share) AS millijoules,
        sum(e.device_ns * a.rank_share) AS told_ns
    FROM (SELECT *, gpus_ppm / sum(gpus_ppm) OVER (PARTITION BY instance, boot, quarter) AS rank_share FROM v1.allocations) a
    CROSS JOIN span s
    LEFT JOIN energy e ON e.instance = a.instance AND e.boot = a.boot AND e.quarter = a.quarter
    WHERE a.quarter >= s.since
        AND a.quarter < s.until
        AND a.held_ns IS NOT NULL
    GROUP BY ALL
),
made AS (
    SELECT
        v1.cost_group(
            $by, coalesce(c.instance_model, c.model), coalesce(c.instance_model_version, c.model_version), c.deployment, c.namespace,
            c.cluster, c.region, c.node, c.pod, c.instance, c.gpu_type, c.engine, c.engine_version, c.quarter, $zone
        ) AS key,
        sum(c.output_tokens)::BIGINT AS output_tokens,
        sum(c.output_tokens) FILTER (e.millijoules IS NOT NULL) AS measured_tokens
    FROM v1.charges c
    CROSS JOIN span s
    LEFT JOIN energy e ON e.instance = c.instance AND e.boot = c.boot AND e.quarter = c.quarter
    WHERE c.quarter >= s.since
        AND c.quarter < s.until
    GROUP BY ALL
)
SELECT
    h.key AS "group",
    h.instances,
    v1.ratio(held, 3600000000000000000::HUGEINT) AS gpu_hours,
    v1.ratio(busy, 3600000000000000000::HUGEINT) AS busy_gpu_hours,
    v1.ratio(idle, 3600000000000000000::HUGEINT) AS idle_gpu_hours,
    v1.ratio(startup, 3600000000000000000::HUGEINT) AS startup_gpu_hours,
    v1.ratio(down, 3600000000000000000::HUGEINT) AS down_gpu_hours,
    v1.ratio(busy, held) AS utilization_ratio,
    v1.ratio(unattributed, busy) AS unattributed_ratio,
    m.output_tokens,
    v1.ratio(m.output_tokens, held / 1e15) AS output_tokens_per_gpu_second,
    v1.ratio(m.output_tokens, busy / 1e15) AS output_tokens_per_busy_gpu_second,
    h.millijoules / 3.6e9 AS energy_kwh,
    v1.ratio(h.millijoules / 3.6e3, m.measured_tokens) AS kwh_per_million_output_tokens,
    CASE WHEN h.millijoules IS NOT NULL THEN least(1, v1.ratio(h.told_ns * 1000000, h.held)) END AS energy_coverage,
    s.since AS window_from,
    s.until AS window_to
FROM held h
LEFT JOIN made m ON m.key IS NOT DISTINCT FROM h.key
CROSS JOIN span s
ORDER BY h.key NULLS LAST;
