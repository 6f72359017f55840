-- Unpriced
--
-- What no price is known for: instances that hold GPUs of a type without a price at the time, GPU time of instances that never said
-- what they hold, and requests on them. None of it is in any cost: unpriced is not free. A line in the price list makes the past
-- priced too. The range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
--
-- unit gpu_hours: GPU·h
-- optional cached_tokens, first_at, last_at
-- horizon settled
-- layer cost
WITH unpriced AS (
    SELECT
        a.*,
        CASE
            WHEN a.held_ns IS NULL THEN 'no such instance'
            WHEN a.gpus_ppm IS NULL THEN 'GPUs not told'
            WHEN a.gpu_type IS NULL THEN 'GPU type not told'
            ELSE 'no price'
        END AS reason
    FROM v1.allocations a
    WHERE (a.usd IS NULL OR a.priced_ns < a.held_ns)
        AND a.quarter >= coalesce(v1.quarter_of($from::TIMESTAMP), a.quarter)
        AND a.quarter < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
),
made AS (
    SELECT instance, dp_index, boot, quarter, sum(requests)::BIGINT AS requests, sum(uncached_tokens)::BIGINT AS uncached_tokens,
        sum(cached_tokens)::BIGINT AS cached_tokens, sum(output_tokens)::BIGINT AS output_tokens
    FROM v1.charges
    GROUP BY ALL
)
SELECT
    u.reason,
    u.gpu_type,
    u.model,
    u.instance,
    v1.ratio(sum((u.held_ns - coalesce(u.priced_ns, 0))::HUGEINT * u.gpus_ppm), 3600000000000000000::HUGEINT) AS gpu_hours,
    sum(m.requests)::BIGINT AS requests,
    sum(m.uncached_tokens)::BIGINT AS uncached_tokens,
    sum(m.cached_tokens)::BIGINT AS cached_tokens,
    sum(m.output_tokens)::BIGINT AS output_tokens,
    min(u.quarter) AS first_at,
    max(u.until) AS last_at
FROM unpriced u
LEFT JOIN made m ON m.instance = u.instance AND m.dp_index = u.dp_index AND m.boot IS NOT DISTINCT FROM u.boot AND m.quarter = u.quarter
GROUP BY u.reason, u.gpu_type, u.model, u.instance
ORDER BY u.reason, u.gpu_type NULLS LAST, u.model NULLS LAST, u.instance NULLS LAST;
