-- Cost by tenant
--
-- Who used the GPUs, and what each pays: the cost of the GPU time that its requests used, and its share of what was held and not used
-- (startup, idle, down, unattributed), by the policy asked for: separate keeps that on a line of its own, proportional spreads it by
-- use, even in equal parts over the groups, none leaves it out. With any but none the lines add up to the bill. Of a group without
-- a price nothing is known but its time: unpriced is not free. The range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param by VARCHAR = tenant {tenant, request_class, adapter, model, model_version, outcome}: What to group by; model and version are those of the requests.
-- param idle VARCHAR = separate {separate, proportional, even, none}: Who pays for what was not used.
--
-- unit used_usd, unused_usd, usd, prefill_usd, decode_usd: USD
-- unit gpu_hours: GPU·h
-- unit share_ratio: ratio
-- unit usd_per_million_tokens: USD/1M
-- optional prefill_usd, decode_usd, cached_tokens, requests, gpu_hours
-- horizon settled
-- layer cost
-- chart bars "Cost": used_usd, unused_usd over group
WITH span AS (
    FROM v1.cost_span($from, $to)
),
used AS (
    SELECT
        CASE $by
            WHEN 'tenant' THEN c.tenant
            WHEN 'request_class' THEN c.request_class
            WHEN 'adapter' THEN c.adapter
            WHEN 'model' THEN c.model
            WHEN 'model_version' THEN v1.pair(c.model, '@', c.model_version)
            WHEN 'outcome' THEN c.outcome
        END AS key,
        sum(c.requests)::BIGINT AS requests,
        sum(c.uncached_tokens)::BIGINT AS uncached_tokens,
        sum(c.cached_tokens)::BIGINT AS cached_tokens,
        sum(c.output_tokens)::BIGINT AS output_tokens,
        sum((c.prefill_ns + c.cached_ns + c.decode_ns)::HUGEINT * c.gpus_ppm) AS gpu_ppm_ns,
        sum(c.prefill_usd + c.cached_usd) AS prefill_usd,
        sum(c.decode_usd) AS decode_usd
    FROM v1.charges c, span s
    WHERE c.quarter >= s.since
        AND c.quarter < s.until
    GROUP BY ALL
),
bill AS (
    SELECT
        sum(a.usd) AS usd,
        sum((a.held_ns - a.busy_ns + a.unattributed_ns)::HUGEINT * a.gpus_ppm) AS unused_ppm_ns
    FROM v1.allocations a, span s
    WHERE a.quarter >= s.since
        AND a.quarter < s.until
),
placed AS (
    SELECT
        u.*,
        prefill_usd + decode_usd AS used_usd,
        b.usd - sum(prefill_usd + decode_usd) OVER () AS unused,
        -- Positions on the line that is divided: by what was used, in picodollars, or one each.
        CASE $idle WHEN 'even' THEN 1 ELSE ((prefill_usd + decode_usd)::DECIMAL(26, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT END AS weight
    FROM used u, bill b
),
divided AS (
    SELECT *,
        sum(coalesce(weight, 0)) OVER (ORDER BY key NULLS LAST ROWS UNBOUNDED PRECEDING)::HUGEINT AS weight_until,
        sum(coalesce(weight, 0)) OVER ()::HUGEINT AS weights
    FROM placed
),
lines AS (
    SELECT
        coalesce(key, '') = '' AS nameless,
        key,
        requests,
        uncached_tokens,
        cached_tokens,
        output_tokens,
        gpu_ppm_ns,
        prefill_usd,
        decode_usd,
        used_usd,
        CASE WHEN $idle IN ('proportional', 'even') AND used_usd IS NOT NULL
            THEN v1.usd_between(unused, weight_until - weight, weight_until, weights)
        END AS unused_usd
    FROM divided
    UNION ALL
    SELECT NULL, '(unused)', NULL, NULL, NULL, NULL, b.unused_ppm_ns, NULL, NULL, NULL,
        b.usd - coalesce((SELECT sum(used_usd) FROM placed), 0)
    FROM bill b
    WHERE $idle = 'separate'
        AND b.unused_ppm_ns IS NOT NULL
)
SELECT
    key AS "group",
    requests,
    uncached_tokens,
    cached_tokens,
    output_tokens,
    v1.ratio(gpu_ppm_ns, 3600000000000000000::HUGEINT) AS gpu_hours,
    prefill_usd,
    decode_usd,
    used_usd,
    unused_usd,
    CASE WHEN used_usd IS NOT NULL OR unused_usd IS NOT NULL THEN coalesce(used_usd, 0) + coalesce(unused_usd, 0) END AS usd,
    v1.ratio(coalesce(used_usd, 0) + coalesce(unused_usd, 0), sum(coalesce(used_usd, 0) + coalesce(unused_usd, 0)) OVER ()) AS share_ratio,
    v1.ratio((coalesce(used_usd, 0) + coalesce(unused_usd, 0)) * 1000000, uncached_tokens + cached_tokens + output_tokens) AS usd_per_million_tokens,
    since AS window_from,
    until AS window_to
FROM lines, span
ORDER BY nameless NULLS LAST, usd DESC NULLS LAST, key;
