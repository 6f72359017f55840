-- LLM
--
-- The figures of a model server on one line a group: time to first token, time per output token and between tokens, tokens a
-- second, KV cache, prefill and decode, batch. Percentiles are from sketches, at most 1 % off; each has its n (requests for TTFT and
-- TPOT, tokens for ITL). KV and batch are engines' samples: means over the time in which they were known, of one engine.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, instance}: What to group by.
--
-- unit ttft_p50, ttft_p99, tpot_p50, tpot_p99, itl_p50, itl_p99, prefill_mean, decode_mean: seconds
-- unit input_rate, output_rate: tokens/s
-- unit kv_mean, kv_max: ratio
-- optional itl_n, itl_p50, tpot_n, decode_mean, prefill_mean, itl_p99, waiting_mean, batch_max, kv_mean, input_rate, ttft_p50, tpot_p50
-- horizon settled
-- layer TTFT, TPOT / ITL, throughput, KV cache, prefill / decode, batching, LLM
-- chart bars "TTFT": ttft_p50, ttft_p99 over group
-- chart bars "TPOT and ITL": tpot_p50, tpot_p99, itl_p50, itl_p99 over group
WITH span AS (
    SELECT since, until FROM v1.window_range($from, $to)
),
tokens AS (
    SELECT
        key,
        sum(finished) FILTER (counts) AS requests,
        nullif(sum(prompt_tokens) FILTER (counts_prompt), 0) AS input_tokens,
        nullif(sum(output_tokens) FILTER (counts_output), 0) AS output_tokens,
        sum(running_ns) FILTER (counts_output) AS running_ns
    FROM v1.grouped_windows($by, v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP), $from, $to)
    GROUP BY key
),
observed AS (
    SELECT *
    FROM v1.group_percentiles($by, ['ttft', 'tpot', 'itl', 'prefill', 'decode'], $from, $to)
),
latencies AS (
    SELECT
        key,
        max(n) FILTER (measure = 'ttft') AS ttft_n,
        max(p50) FILTER (measure = 'ttft') AS ttft_p50,
        max(p99) FILTER (measure = 'ttft') AS ttft_p99,
        max(n) FILTER (measure = 'tpot') AS tpot_n,
        max(p50) FILTER (measure = 'tpot') AS tpot_p50,
        max(p99) FILTER (measure = 'tpot') AS tpot_p99,
        max(n) FILTER (measure = 'itl') AS itl_n,
        max(p50) FILTER (measure = 'itl') AS itl_p50,
        max(p99) FILTER (measure = 'itl') AS itl_p99,
        max(mean) FILTER (measure = 'prefill') AS prefill_mean,
        max(mean) FILTER (measure = 'decode') AS decode_mean
    FROM observed
    GROUP BY key
),
engines AS (
    SELECT
        v1.window_group($by, model, model_version, NULL, instance, NULL) AS key,
        v1.time_mean(sum(kv_cache_usage_ppm_value_ns), sum(kv_cache_usage_ppm_observed_ns)) / 1e6 AS kv_mean,
        max(kv_cache_usage_ppm_max) / 1e6 AS kv_max,
        v1.time_mean(sum(batch_sequences_value_ns), sum(batch_sequences_observed_ns)) AS batch_mean,
        max(batch_sequences_max) AS batch_max,
        v1.time_mean(sum(waiting_requests_value_ns), sum(waiting_requests_observed_ns)) AS waiting_mean
    FROM v1.engine_window_deltas
    WHERE level_seconds = v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP)
        AND window_start >= coalesce($from::TIMESTAMP, '-infinity'::TIMESTAMP)
        AND window_start < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
    GROUP BY ALL
)
SELECT
    t.key AS "group",
    coalesce(t.requests, 0)::BIGINT AS requests,
    coalesce(l.ttft_n, 0) AS ttft_n,
    l.ttft_p50 / 1e9 AS ttft_p50,
    l.ttft_p99 / 1e9 AS ttft_p99,
    coalesce(l.tpot_n, 0) AS tpot_n,
    l.tpot_p50 / 1e9 AS tpot_p50,
    l.tpot_p99 / 1e9 AS tpot_p99,
    coalesce(l.itl_n, 0) AS itl_n,
    l.itl_p50 / 1e9 AS itl_p50,
    l.itl_p99 / 1e9 AS itl_p99,
    v1.ratio(t.input_tokens, v1.seconds_between(since, until)) AS input_rate,
    v1.ratio(t.output_tokens, v1.seconds_between(since, until)) AS output_rate,
    l.prefill_mean / 1e9 AS prefill_mean,
    l.decode_mean / 1e9 AS decode_mean,
    v1.ratio(t.running_ns / 1e9, v1.seconds_between(since, until)) AS running_mean,
    e.waiting_mean,
    e.batch_mean,
    e.batch_max,
    e.kv_mean,
    e.kv_max,
    since AS window_from,
    until AS window_to
FROM tokens t
CROSS JOIN span
LEFT JOIN latencies l ON l.key IS NOT DISTINCT FROM t.key
LEFT JOIN engines e ON e.key IS NOT DISTINCT FROM t.key
ORDER BY t.key NULLS LAST;
