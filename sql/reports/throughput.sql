-- Throughput
--
-- Requests and tokens a second of a group, and its busiest minute. Requests count when they end, on the counting leg; tokens are
-- the engines', spread over the time in which they were read or made. uncached is what the engines had to compute of prompts
-- whose cached tokens are known. total = input + output. Of the busiest minute each rate has its own. Requests that ended ok
-- without token counts (unknown_usage) are not in the tokens.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class, model_class, tenant, source}: What to group by; windows know all, model, model_version, adapter, instance, request_class and model_class.
-- param basis VARCHAR = windows {facts, windows}: Whether to read windows, of 10 s, or request rows. Both give the same figures, but for the busiest minute, of which rows know nothing.
--
-- unit request_rate, peak_request_rate: requests/s
-- unit input_rate, uncached_rate, output_rate, total_rate, peak_input_rate, peak_output_rate, peak_total_rate: tokens/s
-- optional unknown_usage, uncached_tokens, peak_input_rate, peak_request_rate, peak_output_rate, uncached_rate, total_rate, input_tokens, output_tokens
-- rare unknown_usage
-- horizon settled
-- layer throughput
-- chart bars "Tokens a second": input_rate, uncached_rate, output_rate over group
-- chart bars "Requests a second, mean and busiest minute": request_rate, peak_request_rate over group
WITH span AS (
    SELECT since, until FROM v1.window_range($from, $to) WHERE $basis = 'windows'
    UNION ALL
    SELECT since, until FROM v1.fact_range($from, $to) WHERE $basis = 'facts'
),
from_windows AS (
    SELECT
        key,
        sum(finished) FILTER (counts) AS requests,
        sum(unknown_usage) FILTER (counts_output) AS unknown_usage,
        -- No token at all is not told of: unknown, not none.
        nullif(sum(prompt_tokens) FILTER (counts_prompt), 0) AS input_tokens,
        CASE
            WHEN sum(cache_known_prompt_tokens) FILTER (counts_prompt) > 0
            THEN sum(cache_known_prompt_tokens - cached_tokens) FILTER (counts_prompt)
        END AS uncached_tokens,
        nullif(sum(output_tokens) FILTER (counts_output), 0) AS output_tokens
    FROM v1.grouped_windows($by, v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP), $from, $to)
    WHERE $basis = 'windows'
    GROUP BY key
),
told AS (
    SELECT
        key,
        counts AND finished_at >= since AND finished_at < until AS counts,
        counts_output AND outcome = 'ok' AND output_tokens IS NULL AND finished_at >= since AND finished_at < until AS unknown_usage,
        CASE WHEN counts_prompt THEN v1.spread(prompt_tokens, read_from, read_to, since, until) END AS input_tokens,
        CASE WHEN counts_prompt THEN v1.spread(cached_tokens, read_from, read_to, since, until) END AS cached_tokens,
        CASE WHEN counts_output THEN v1.spread(output_tokens, made_from, made_to, since, until) END AS output_tokens
    FROM (
        SELECT
            r.*,
            s.*,
            coalesce(first_token_at, finished_at) AS read_to,
            CASE
                WHEN list_contains(flags, 'span') THEN read_to
                ELSE coalesce(least(coalesce(scheduled_at, queued_at, received_at), read_to), read_to)
            END AS read_from,
            coalesce(last_token_at, finished_at) AS made_to,
            CASE
                WHEN list_contains(flags, 'span') THEN made_to
                ELSE coalesce(least(first_token_at, made_to), made_to)
            END AS made_from
        FROM v1.grouped_requests($by) r
        CROSS JOIN span s
        WHERE $basis = 'facts'
    )
),
from_facts AS (
    SELECT
        key,
        count(*) FILTER (counts) AS requests,
        count(*) FILTER (unknown_usage) AS unknown_usage,
        sum(input_tokens) AS input_tokens,
        sum(input_tokens - cached_tokens) AS uncached_tokens,
        sum(output_tokens) AS output_tokens
    FROM told
    GROUP BY key
),
minutes AS (
    SELECT
        key,
        window_start,
        sum(finished) FILTER (counts) AS requests,
        sum(prompt_tokens) FILTER (counts_prompt) AS input_tokens,
        sum(output_tokens) FILTER (counts_output) AS output_tokens
    FROM v1.grouped_windows($by, 60, $from, $to)
    WHERE $basis = 'windows'
    GROUP BY key, window_start
),
peaks AS (
    SELECT
        key,
        max(requests) AS requests,
        max(input_tokens) AS input_tokens,
        max(output_tokens) AS output_tokens,
        max(input_tokens + output_tokens) AS total_tokens
    FROM minutes
    GROUP BY key
),
summed AS (
    SELECT
        key,
        coalesce(requests, 0)::BIGINT AS requests,
        coalesce(unknown_usage, 0)::BIGINT AS unknown_usage,
        input_tokens::BIGINT AS input_tokens,
        uncached_tokens::BIGINT AS uncached_tokens,
        output_tokens::BIGINT AS output_tokens
    FROM (SELECT * FROM from_windows UNION ALL SELECT * FROM from_facts)
)
SELECT
    s.key AS "group",
    s.requests,
    v1.ratio(s.requests, v1.seconds_between(since, until)) AS request_rate,
    s.unknown_usage,
    s.input_tokens,
    s.uncached_tokens,
    s.output_tokens,
    v1.ratio(s.input_tokens, v1.seconds_between(since, until)) AS input_rate,
    v1.ratio(s.uncached_tokens, v1.seconds_between(since, until)) AS uncached_rate,
    v1.ratio(s.output_tokens, v1.seconds_between(since, until)) AS output_rate,
    v1.ratio(s.input_tokens + s.output_tokens, v1.seconds_between(since, until)) AS total_rate,
    p.requests / 60 AS peak_request_rate,
    nullif(p.input_tokens, 0) / 60 AS peak_input_rate,
    nullif(p.output_tokens, 0) / 60 AS peak_output_rate,
    nullif(p.total_tokens, 0) / 60 AS peak_total_rate,
    since AS window_from,
    until AS window_to
FROM summed s
CROSS JOIN span
LEFT JOIN peaks p ON p.key IS NOT DISTINCT FROM s.key
WHERE s.requests > 0 OR s.input_tokens > 0 OR s.output_tokens > 0
ORDER BY s.key NULLS LAST;
