-- Model versions
--
-- The versions of each model side by side, oldest first: what they were asked, how they answered, and what it cost. change_… is
-- against the model's oldest version of the range: as they were served, not adjusted for another mix of requests, another load or
-- another time of day. So it says that they differ, not that the version is why. Requests and latencies are the counting
-- leg's, tokens the engines'; percentiles are from sketches, at most 1 % off, of n requests (TTFT: that had a first token; TPOT and end
-- to end: that ended ok; lengths: that ended). Cost is of the GPUs that the version's instances held in the range, idle time included; without a price
-- for all of them it is not known.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param model VARCHAR: One model only; all where not given.
--
-- unit success_ratio, cached_ratio, change_ttft_p50, change_ttft_p95, change_tpot_p50, change_tpot_p95, change_e2e_p50, change_e2e_p95, change_cost: ratio
-- unit ttft_p50, ttft_p95, ttft_p99, tpot_p50, tpot_p95, tpot_p99, e2e_p50, e2e_p95, e2e_p99: seconds
-- unit request_rate: requests/s
-- unit output_rate: tokens/s
-- unit prompt_mean, prompt_p95, output_mean, output_p95: tokens
-- unit usd_per_million_output_tokens: USD
-- optional prompt_n, output_n, first_at, last_at, e2e_p99, e2e_n, e2e_p95, e2e_p50, change_e2e_p95, change_e2e_p50, ttft_p99, tpot_p99, prompt_p95, output_p95, request_rate, output_rate, output_tokens_per_gpu_second, gpu_hours, change_ttft_p95, change_tpot_p95, tpot_n, ttft_n, cached_ratio, prompt_mean, output_mean, change_cost, tpot_p95, ttft_p95
-- horizon settled
-- layer model and version, cost, latency
-- chart bars "TTFT": ttft_p50, ttft_p95, ttft_p99 over version each model
-- chart bars "TPOT": tpot_p50, tpot_p95, tpot_p99 over version each model
-- chart bars "Against the oldest version": change_ttft_p50, change_tpot_p50, change_e2e_p50 over version each model
WITH span AS (
    SELECT since, until FROM v1.window_range($from, $to)
),
served AS (
    SELECT
        model,
        model_version,
        min(window_start) AS first_start,
        max(window_start) AS last_start,
        sum(finished) FILTER (counts) AS requests,
        sum(ok) FILTER (counts) AS ok,
        nullif(sum(output_tokens) FILTER (counts_output), 0) AS output_tokens,
        sum(cached_tokens) FILTER (counts_prompt) AS cached_tokens,
        sum(cache_known_prompt_tokens) FILTER (counts_prompt) AS known_tokens
    FROM v1.grouped_windows('all', v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP), $from, $to)
    WHERE $model::VARCHAR IS NULL OR model = $model::VARCHAR
    GROUP BY model, model_version
),
-- When a version was seen, to the 10 s, where the windows are there.
seen AS (
    SELECT model, model_version, min(window_start) AS first_at, max(window_start) + INTERVAL 10 SECONDS AS last_at
    FROM v1.grouped_windows('all', 10, $from, $to)
    WHERE $model::VARCHAR IS NULL OR model = $model::VARCHAR
    GROUP BY model, model_version
),
observed AS (
    SELECT *
    FROM v1.sketch_percentiles(
        {'model': model, 'model_version': model_version},
        measure IN ('ttft', 'tpot', 'e2e', 'prompt_length', 'output_length')
            AND ($model::VARCHAR IS NULL OR model = $model::VARCHAR)
            AND (coalesce(model, ''), measure, role) IN (SELECT (s.model, s.measure, s.role) FROM v1.speaking_roles s),
        v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP),
        $from::TIMESTAMP,
        $to::TIMESTAMP
    )
),
latencies AS (
    SELECT
        key.model AS model,
        key.model_version AS model_version,
        max(n) FILTER (measure = 'ttft') AS ttft_n,
        max(p50) FILTER (measure = 'ttft') / 1e9 AS ttft_p50,
        max(p95) FILTER (measure = 'ttft') / 1e9 AS ttft_p95,
        max(p99) FILTER (measure = 'ttft') / 1e9 AS ttft_p99,
        max(n) FILTER (measure = 'tpot') AS tpot_n,
        max(p50) FILTER (measure = 'tpot') / 1e9 AS tpot_p50,
        max(p95) FILTER (measure = 'tpot') / 1e9 AS tpot_p95,
        max(p99) FILTER (measure = 'tpot') / 1e9 AS tpot_p99,
        max(n) FILTER (measure = 'e2e') AS e2e_n,
        max(p50) FILTER (measure = 'e2e') / 1e9 AS e2e_p50,
        max(p95) FILTER (measure = 'e2e') / 1e9 AS e2e_p95,
        max(p99) FILTER (measure = 'e2e') / 1e9 AS e2e_p99,
        max(n) FILTER (measure = 'prompt_length') AS prompt_n,
        max(mean) FILTER (measure = 'prompt_length') AS prompt_mean,
        max(p95) FILTER (measure = 'prompt_length') AS prompt_p95,
        max(n) FILTER (measure = 'output_length') AS output_n,
        max(mean) FILTER (measure = 'output_length') AS output_mean,
        max(p95) FILTER (measure = 'output_length') AS output_p95
    FROM observed
    GROUP BY ALL
),
costs AS (
    SELECT
        i.model,
        i.model_version,
        sum(v1.overlap_ns(i.from_at, i.to_at, since, until) * i.gpus_ppm) AS gpu_ppm_ns,
        CASE
            WHEN bool_and(i.usd_per_hour IS NOT NULL)
            THEN sum(
                v1.cost_so_far(i.from_at, least(i.to_at, until), i.gpus_ppm, i.usd_per_hour)
                - v1.cost_so_far(i.from_at, greatest(i.from_at, since), i.gpus_ppm, i.usd_per_hour)
            )
        END AS usd
    FROM v1.instance_prices i
    CROSS JOIN span
    WHERE i.from_at < until
        AND i.to_at > since
        AND coalesce(i.role, 'engine') NOT IN ('gateway', 'client')
    GROUP BY i.model, i.model_version
),
versions AS (
    SELECT
        v.*,
        l.* EXCLUDE (model, model_version),
        coalesce(n.first_at, v.first_start) AS first_at,
        coalesce(n.last_at, v.last_start) AS last_at,
        c.gpu_ppm_ns,
        c.usd,
        v1.ratio(c.usd * 1000000, v.output_tokens) AS usd_per_million,
        since,
        until
    FROM served v
    CROSS JOIN span
    LEFT JOIN seen n ON n.model IS NOT DISTINCT FROM v.model AND n.model_version IS NOT DISTINCT FROM v.model_version
    LEFT JOIN latencies l ON l.model IS NOT DISTINCT FROM v.model AND l.model_version IS NOT DISTINCT FROM v.model_version
    LEFT JOIN costs c ON c.model IS NOT DISTINCT FROM v.model AND c.model_version IS NOT DISTINCT FROM v.model_version
)
SELECT
    model,
    model_version AS version,
    first_at,
    last_at,
    coalesce(requests, 0)::BIGINT AS requests,
    v1.ratio(requests, v1.seconds_between(first_at, last_at)) AS request_rate,
    v1.ratio(ok, requests) AS success_ratio,
    coalesce(ttft_n, 0) AS ttft_n,
    ttft_p50,
    ttft_p95,
    ttft_p99,
    coalesce(tpot_n, 0) AS tpot_n,
    tpot_p50,
    tpot_p95,
    tpot_p99,
    coalesce(e2e_n, 0) AS e2e_n,
    e2e_p50,
    e2e_p95,
    e2e_p99,
    coalesce(prompt_n, 0) AS prompt_n,
    prompt_mean,
    prompt_p95,
    coalesce(output_n, 0) AS output_n,
    output_mean,
    output_p95,
    v1.ratio(cached_tokens, known_tokens) AS cached_ratio,
    v1.ratio(output_tokens, v1.seconds_between(first_at, last_at)) AS output_rate,
    v1.ratio(gpu_ppm_ns, 3600000000000000000::HUGEINT) AS gpu_hours,
    v1.ratio(output_tokens, gpu_ppm_ns / 1e15) AS output_tokens_per_gpu_second,
    usd_per_million AS usd_per_million_output_tokens,
    ttft_p50 / nullif(first_value(ttft_p50) OVER oldest, 0) - 1 AS change_ttft_p50,
    ttft_p95 / nullif(first_value(ttft_p95) OVER oldest, 0) - 1 AS change_ttft_p95,
    tpot_p50 / nullif(first_value(tpot_p50) OVER oldest, 0) - 1 AS change_tpot_p50,
    tpot_p95 / nullif(first_value(tpot_p95) OVER oldest, 0) - 1 AS change_tpot_p95,
    e2e_p50 / nullif(first_value(e2e_p50) OVER oldest, 0) - 1 AS change_e2e_p50,
    e2e_p95 / nullif(first_value(e2e_p95) OVER oldest, 0) - 1 AS change_e2e_p95,
    usd_per_million / nullif(first_value(usd_per_million) OVER oldest, 0) - 1 AS change_cost,
    since AS window_from,
    until AS window_to
FROM versions
WINDOW oldest AS (PARTITION BY model ORDER BY first_at, model_version NULLS LAST)
ORDER BY model NULLS LAST, first_at, model_version NULLS LAST;
