-- Own GPUs against an API
--
-- What the requests of a model cost on one's own GPUs, all that was paid for them (allocation), and what their tokens would have cost
-- at an API by its price of the time. The comparison is of those two alone: used_usd is less than what was paid. From which share of
-- use on one's own GPUs are cheaper is break_even_utilization_ratio = used_usd / api_usd: above 1 they never are. Requests that have no
-- price at the API are in unpriced_requests and in no sum of it; then the comparison is of a part. Which model of which API is
-- compared with is that of the same name, or the one that the price list names (compare:). The range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param api VARCHAR: Only this API, as PROVIDER/MODEL.
--
-- unit self_usd, used_usd, api_usd, saved_usd: USD
-- unit utilization_ratio, break_even_utilization_ratio: ratio
-- unit self_usd_per_million_tokens, api_usd_per_million_tokens: USD/1M
-- optional used_usd, cached_tokens, input_tokens, output_tokens
-- rare unpriced_requests
-- horizon settled
-- layer cost
-- chart bars "Cost, own GPUs and API": self_usd, api_usd over model
WITH span AS (
    SELECT
        coalesce(v1.quarter_of($from::TIMESTAMP), min(quarter)) AS since,
        coalesce($to::TIMESTAMP, max(until)) AS until
    FROM v1.allocations
),
held AS (
    SELECT
        a.model,
        sum(a.usd) AS self_usd,
        count(*) FILTER (a.usd IS NULL OR a.priced_ns < a.held_ns) AS unpriced
    FROM v1.allocations a, span s
    WHERE a.quarter >= s.since
        AND a.quarter < s.until
        AND a.held_ns IS NOT NULL
    GROUP BY a.model
),
used AS (
    SELECT coalesce(c.instance_model, c.model) AS model, sum(c.prefill_usd + c.cached_usd + c.decode_usd) AS used_usd
    FROM v1.charges c, span s
    WHERE c.quarter >= s.since
        AND c.quarter < s.until
    GROUP BY ALL
),
asked AS (
    SELECT
        c.served_model AS model,
        c.provider,
        c.api_model,
        count(*) AS requests,
        count(*) FILTER (c.usd IS NULL) AS unpriced_requests,
        sum(c.input_tokens + c.cache_write_5m_tokens + c.cache_write_1h_tokens)::BIGINT AS input_tokens,
        sum(c.cached_tokens)::BIGINT AS cached_tokens,
        sum(c.output_tokens)::BIGINT AS output_tokens,
        sum(c.input_tokens + c.cache_write_5m_tokens + c.cache_write_1h_tokens + c.cached_tokens + c.output_tokens)
            FILTER (c.usd IS NOT NULL)::BIGINT AS priced_tokens,
        sum(c.usd) AS api_usd
    FROM v1.api_costs c, span s
    WHERE c.finished_at >= s.since
        AND c.finished_at < s.until
        AND ($api::VARCHAR IS NULL OR v1.pair(c.provider, '/', c.api_model) = $api::VARCHAR)
    GROUP BY ALL
)
SELECT
    a.model,
    v1.pair(a.provider, '/', a.api_model) AS api,
    a.requests,
    a.unpriced_requests,
    a.input_tokens,
    a.cached_tokens,
    a.output_tokens,
    CASE WHEN h.unpriced = 0 THEN h.self_usd END AS self_usd,
    u.used_usd,
    a.api_usd,
    CASE WHEN h.unpriced = 0 THEN a.api_usd - h.self_usd END AS saved_usd,
    v1.ratio(u.used_usd, CASE WHEN h.unpriced = 0 THEN h.self_usd END) AS utilization_ratio,
    v1.ratio(u.used_usd, a.api_usd) AS break_even_utilization_ratio,
    v1.ratio(CASE WHEN h.unpriced = 0 THEN h.self_usd END * 1000000, a.input_tokens + a.cached_tokens + a.output_tokens) AS self_usd_per_million_tokens,
    v1.ratio(a.api_usd * 1000000, a.priced_tokens) AS api_usd_per_million_tokens,
    since AS window_from,
    until AS window_to
FROM asked a
CROSS JOIN span
LEFT JOIN held h ON h.model IS NOT DISTINCT FROM a.model
LEFT JOIN used u ON u.model IS NOT DISTINCT FROM a.model
ORDER BY a.model NULLS LAST, api NULLS LAST;
