-- Waste
--
-- GPU time that was used and helped no one, by reason: what was generated after the client had gone, requests that failed or timed
-- out, requests that were cancelled (until the client left), health probes, retries. A request counts for one reason, the first of
-- these that holds. Then what was paid for and not used: idle, startup, down, and busy time that no request accounts for. share is of
-- all that was held. The range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param by VARCHAR = all {all, model, model_version, deployment, namespace, cluster, region, node, pod, instance, gpu_type, engine, hour, day, month}: What to group by; model and version are those that the instance serves.
-- param zone VARCHAR = UTC: Time zone of hours, days and months.
--
-- unit gpu_hours: GPU·h
-- unit usd: USD
-- unit share_ratio: ratio
-- optional requests, output_tokens
-- horizon settled
-- layer cost, cancellation
-- chart bars "Wasted GPU time": gpu_hours over reason each group
WITH span AS (
    FROM v1.cost_span($from, $to)
),
used AS (
    SELECT
        v1.cost_group(
            $by, coalesce(c.instance_model, c.model), coalesce(c.instance_model_version, c.model_version), c.deployment, c.namespace,
            c.cluster, c.region, c.node, c.pod, c.instance, c.gpu_type, c.engine, c.engine_version, c.quarter, $zone
        ) AS key,
        v1.waste_reason(c.probe, c.outcome, c.retry) AS reason,
        c.requests,
        c.output_tokens,
        c.after_gone_ns,
        c.prefill_ns + c.cached_ns + c.decode_ns AS used_ns,
        c.prefill_usd + c.cached_usd + c.decode_usd AS usd,
        c.gpus_ppm
    FROM v1.charges c, span s
    WHERE c.quarter >= s.since
        AND c.quarter < s.until
),
wasted AS (
    SELECT key, 1 AS place, 'after_disconnect' AS reason, NULL AS requests, NULL AS output_tokens, after_gone_ns::HUGEINT * gpus_ppm AS gpu_ppm_ns,
        v1.usd_between(usd, 0, after_gone_ns, used_ns) AS usd
    FROM used
    WHERE after_gone_ns > 0
    UNION ALL
    SELECT key, CASE reason WHEN 'failed' THEN 2 WHEN 'cancelled' THEN 3 WHEN 'health_probe' THEN 4 ELSE 5 END, reason, requests, output_tokens,
        (used_ns - after_gone_ns)::HUGEINT * gpus_ppm, v1.usd_between(usd, after_gone_ns, used_ns, used_ns)
    FROM used
    WHERE reason IS NOT NULL
),
held AS (
    SELECT
        v1.cost_group(
            $by, a.model, a.model_version, a.deployment, a.namespace, a.cluster, a.region, a.node, a.pod, a.instance, a.gpu_type,
            a.engine, a.engine_version, a.quarter, $zone
        ) AS key,
        a.*
    FROM v1.allocations a, span s
    WHERE a.quarter >= s.since
        AND a.quarter < s.until
        AND a.held_ns IS NOT NULL
),
unused AS (
    SELECT key, unnest([
        {place: 6, reason: 'unattributed', ns: unattributed_ns, usd: unattributed_usd},
        {place: 7, reason: 'idle', ns: idle_ns, usd: idle_usd},
        {place: 8, reason: 'startup', ns: startup_ns, usd: startup_usd},
        {place: 9, reason: 'down', ns: down_ns, usd: down_usd}
    ], recursive := true), gpus_ppm
    FROM held
),
rows AS (
    SELECT key, place, reason, requests, output_tokens, gpu_ppm_ns, usd FROM wasted
    UNION ALL
    SELECT key, place, reason, NULL, NULL, ns::HUGEINT * gpus_ppm, usd FROM unused
),
totals AS (
    SELECT key, sum(held_ns::HUGEINT * gpus_ppm) AS gpu_ppm_ns FROM held GROUP BY ALL
)
SELECT
    r.key AS "group",
    r.reason,
    sum(r.requests)::BIGINT AS requests,
    sum(r.output_tokens)::BIGINT AS output_tokens,
    v1.ratio(sum(r.gpu_ppm_ns), 3600000000000000000::HUGEINT) AS gpu_hours,
    sum(r.usd) AS usd,
    v1.ratio(sum(r.gpu_ppm_ns), any_value(t.gpu_ppm_ns)) AS share_ratio,
    any_value(s.since) AS window_from,
    any_value(s.until) AS window_to
FROM rows r
LEFT JOIN totals t ON t.key IS NOT DISTINCT FROM r.key
CROSS JOIN span s
GROUP BY r.key, r.place, r.reason
HAVING sum(r.gpu_ppm_ns) > 0
ORDER BY r.key NULLS LAST, r.place;
