-- Overview
--
-- Rate, errors and durations (RED) of a group of requests, its tokens, and how much of it met the objectives.
-- Requests, outcomes and durations are the counting leg's (gateway, else engine, else decode), tokens the engines':
-- nothing is counted twice. Requests count when they finish; percentiles are of requests that ended ok.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first request where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last request where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class, tenant, source, hour, day}: What to group by.
-- param zone VARCHAR = UTC: Time zone of hours and days.
-- param slo_ttft DOUBLE = 2: Time to first token that is good enough, seconds.
-- param slo_tpot DOUBLE = 0.1: Time per output token that is good enough, seconds.
--
-- unit request_rate: requests/s
-- unit success_ratio, goodput_ratio: ratio
-- unit input_token_rate, output_token_rate: tokens/s
-- unit ttft_p50, ttft_p95, ttft_p99, tpot_p50, tpot_p95, tpot_p99, e2e_p50, e2e_p95, e2e_p99: seconds
-- horizon settled
-- layer availability, latency, TTFT, TPOT / ITL, throughput, model and version, cancellation, RED
-- chart bars "Requests": requests over group
-- chart bars "Requests that ended ok, and that met the objectives": success_ratio, goodput_ratio over group
-- chart stack "Requests that did not end ok": errors, timeouts, rejected, cancelled, lost, unknown over group
-- chart bars "TTFT": ttft_p50, ttft_p95, ttft_p99 over group
-- chart bars "Time per output token": tpot_p50, tpot_p95, tpot_p99 over group
-- chart bars "End to end": e2e_p50, e2e_p95, e2e_p99 over group
-- chart stack "Tokens": input_token_rate, output_token_rate over group
WITH span AS (
    SELECT
        coalesce($from::TIMESTAMP, min(coalesce(received_at, finished_at))) AS since,
        coalesce($to::TIMESTAMP, max(finished_at) + INTERVAL 1 MICROSECOND) AS until
    FROM v1.requests
),
leg_rows AS (
    SELECT
        v1.request_group(
            $by, r.model, r.model_version, r.adapter, r.deployment, r.namespace, r.cluster, r.node, r.pod, r.instance,
            r.gpu_type, r.request_class, r.tenant, r.source, v1.in_zone(r.finished_at, $zone)
        ) AS key,
        coalesce(r.scheduled_at, r.received_at) AS running_from,
        r.finished_at,
        r.finished_at >= s.since AND r.finished_at < s.until AS inside,
        r.role IS NOT DISTINCT FROM l.counting_role AS counts,
        r.role IS NOT DISTINCT FROM l.prompt_role AND coalesce(r.choice, 0) = 0 AS counts_prompt,
        r.role IS NOT DISTINCT FROM l.output_role AS counts_output,
        r.outcome,
        r.prompt_tokens,
        r.output_tokens,
        r.ttft_seconds,
        r.tpot_seconds,
        r.e2e_seconds,
        s.since,
        s.until
    FROM v1.requests r
    JOIN v1.legs l
        ON l.deployment IS NOT DISTINCT FROM r.deployment
        AND l.model IS NOT DISTINCT FROM r.model
        AND l.role IS NOT DISTINCT FROM r.role
    CROSS JOIN span s
    -- Requests that ended later still ran inside the range.
    WHERE r.finished_at >= s.since
        AND coalesce(r.scheduled_at, r.received_at, r.finished_at) < s.until
),
summed AS (
    SELECT
        key,
        since,
        until,
        count(*) FILTER (inside AND counts) AS requests,
        count(*) FILTER (inside AND counts AND outcome = 'ok') AS ok,
        count(*) FILTER (inside AND counts AND outcome = 'error') AS errors,
        count(*) FILTER (inside AND counts AND outcome = 'timeout') AS timeouts,
        count(*) FILTER (inside AND counts AND outcome = 'rejected') AS rejected,
        count(*) FILTER (inside AND counts AND outcome = 'cancelled') AS cancelled,
        count(*) FILTER (inside AND counts AND outcome = 'lost') AS lost,
        count(*) FILTER (inside AND counts AND outcome = 'unknown') AS unknown,
        -- One token has no time per output token: that objective is met. No first token misses the other.
        count(*) FILTER (
            inside AND counts AND outcome = 'ok'
            AND ttft_seconds <= $slo_ttft::DOUBLE
            AND coalesce(tpot_seconds, 0) <= $slo_tpot::DOUBLE
        ) AS good,
        sum(prompt_tokens) FILTER (inside AND counts_prompt)::BIGINT AS input_tokens,
        sum(output_tokens) FILTER (inside AND counts_output)::BIGINT AS output_tokens,
        sum(v1.overlap_ns(running_from, finished_at, since, until)) FILTER (counts_output) AS running_ns,
        count(ttft_seconds) FILTER (inside AND counts AND outcome = 'ok') AS ttft_n,
        quantile_cont(ttft_seconds, [0.5, 0.95, 0.99]) FILTER (inside AND counts AND outcome = 'ok') AS ttft,
        count(tpot_seconds) FILTER (inside AND counts_output AND outcome = 'ok') AS tpot_n,
        quantile_cont(tpot_seconds, [0.5, 0.95, 0.99]) FILTER (inside AND counts_output AND outcome = 'ok') AS tpot,
        count(e2e_seconds) FILTER (inside AND counts AND outcome = 'ok') AS e2e_n,
        quantile_cont(e2e_seconds, [0.5, 0.95, 0.99]) FILTER (inside AND counts AND outcome = 'ok') AS e2e
    FROM leg_rows
    GROUP BY ALL
)
SELECT
    key AS "group",
    requests,
    v1.ratio(requests, v1.seconds_between(since, until)) AS request_rate,
    ok,
    errors,
    timeouts,
    rejected,
    cancelled,
    lost,
    unknown,
    v1.ratio(ok, requests) AS success_ratio,
    v1.ratio(good, requests) AS goodput_ratio,
    input_tokens,
    output_tokens,
    v1.ratio(input_tokens, v1.seconds_between(since, until)) AS input_token_rate,
    v1.ratio(output_tokens, v1.seconds_between(since, until)) AS output_token_rate,
    v1.ratio(running_ns, v1.seconds_between(since, until) * 1e9) AS running_mean,
    ttft_n,
    ttft[1] AS ttft_p50,
    ttft[2] AS ttft_p95,
    ttft[3] AS ttft_p99,
    tpot_n,
    tpot[1] AS tpot_p50,
    tpot[2] AS tpot_p95,
    tpot[3] AS tpot_p99,
    e2e_n,
    e2e[1] AS e2e_p50,
    e2e[2] AS e2e_p95,
    e2e[3] AS e2e_p99,
    since AS window_from,
    until AS window_to
FROM summed
WHERE requests > 0 OR input_tokens > 0 OR output_tokens > 0
ORDER BY key NULLS LAST;
