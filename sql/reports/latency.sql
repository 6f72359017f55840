-- Latency
--
-- Where the time goes, a row a measure and group: TTFT = queue + prefill + rest; residual is what that leaves open.
-- From facts: exact percentiles of requests that ended ok. From windows: by nearest rank over sketches, at most 1 % off,
-- also where the facts have expired; TTFT, queue and prefill are then of all requests. ITL always comes from windows.
-- n has the measure; excluded ended ok without it (no such mark, a negative duration, one token); zeros took no time at
-- all, which for TTFT means a frozen clock. End-to-end and TTFT are the counting leg's, the rest the engines'.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first request where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last request where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class, tenant, source}: What to group by; windows know all, model, model_version, adapter, instance and request_class.
-- param basis VARCHAR = facts {facts, windows}: Whether to read request rows or window sketches.
--
-- unit mean, p50, p90, p95, p99, p999, max: seconds
-- optional basis, zeros, excluded, mean, max, p999, finished
-- horizon complete
-- layer latency, TTFT, TPOT / ITL, queue, prefill / decode
-- chart bars "TTFT": p50, p95, p99 over group where measure = TTFT
-- chart bars "TPOT": p50, p95, p99 over group where measure = TPOT
-- chart bars "End to end": p50, p95, p99 over group where measure = e2e
WITH span AS (
    SELECT
        coalesce($from::TIMESTAMP, min(coalesce(received_at, finished_at))) AS since,
        coalesce($to::TIMESTAMP, max(finished_at) + INTERVAL 1 MICROSECOND) AS until
    FROM v1.requests
),
finished AS (
    SELECT
        v1.request_group(
            $by, r.model, r.model_version, r.adapter, r.deployment, r.namespace, r.cluster, r.node, r.pod, r.instance,
            r.gpu_type, r.request_class, r.tenant, r.source, r.finished_at
        ) AS key,
        r.role IS NOT DISTINCT FROM l.counting_role AS counts,
        r.role IS NOT DISTINCT FROM l.prompt_role AS counts_prompt,
        r.role IS NOT DISTINCT FROM l.output_role AS counts_output,
        r.ttft_seconds,
        r.tpot_seconds,
        r.e2e_seconds,
        r.queue_seconds,
        r.prefill_seconds,
        r.decode_seconds,
        r.rest_seconds,
        abs(v1.ns(r.ttft_seconds) - v1.ns(r.queue_seconds) - v1.ns(r.prefill_seconds) - v1.ns(r.rest_seconds)) / 1e9 AS residual_seconds
    FROM v1.requests r
    JOIN v1.legs l
        ON l.deployment IS NOT DISTINCT FROM r.deployment
        AND l.model IS NOT DISTINCT FROM r.model
        AND l.role IS NOT DISTINCT FROM r.role
    CROSS JOIN span s
    WHERE $basis = 'facts'
        AND r.outcome = 'ok'
        AND r.finished_at >= s.since
        AND r.finished_at < s.until
),
-- One row a request and measure that its leg speaks for.
said AS (
    SELECT key, unnest([
        {place: 1, measure: 'TTFT', speaks: counts, seconds: ttft_seconds},
        {place: 2, measure: 'queue', speaks: counts_prompt, seconds: queue_seconds},
        {place: 3, measure: 'prefill', speaks: counts_prompt, seconds: prefill_seconds},
        {place: 4, measure: 'rest', speaks: counts_prompt, seconds: rest_seconds},
        {place: 5, measure: 'residual', speaks: counts_prompt, seconds: residual_seconds},
        {place: 6, measure: 'TPOT', speaks: counts_output, seconds: tpot_seconds},
        {place: 8, measure: 'decode', speaks: counts_output, seconds: decode_seconds},
        {place: 9, measure: 'e2e', speaks: counts, seconds: e2e_seconds}
    ], recursive := true)
    FROM finished
),
from_facts AS (
    SELECT
        key,
        place,
        measure,
        'facts' AS basis,
        count(seconds) AS n,
        count(*) AS finished,
        count(*) - count(seconds) AS excluded,
        count(*) FILTER (seconds = 0) AS zeros,
        v1.ratio(sum(v1.ns(seconds)), count(seconds)) / 1e9 AS mean,
        quantile_cont(seconds, [0.5, 0.9, 0.95, 0.99, 0.999]) AS q,
        max(seconds) AS max
    FROM said
    WHERE speaks
    GROUP BY key, place, measure
),
-- Which legs the windows' rows count for, by the same rule; windows know no deployment.
window_legs AS (
    SELECT model, list(DISTINCT role) AS roles
    FROM v1.request_sketch_deltas
    WHERE level_seconds = v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP)
    GROUP BY model
),
speaking AS (
    SELECT coalesce(model, '') AS model, unnest([
        {measure: 'ttft', role: v1.first_of(['gateway', 'engine', 'decode', 'prefill', 'client'], roles)},
        {measure: 'queue', role: v1.first_of(['engine', 'prefill', 'decode', 'gateway', 'client'], roles)},
        {measure: 'prefill', role: v1.first_of(['engine', 'prefill', 'decode', 'gateway', 'client'], roles)},
        {measure: 'tpot', role: v1.first_of(['engine', 'decode', 'prefill', 'gateway', 'client'], roles)},
        {measure: 'itl', role: v1.first_of(['engine', 'decode', 'prefill', 'gateway', 'client'], roles)},
        {measure: 'decode', role: v1.first_of(['engine', 'decode', 'prefill', 'gateway', 'client'], roles)},
        {measure: 'e2e', role: v1.first_of(['gateway', 'engine', 'decode', 'prefill', 'client'], roles)}
    ], recursive := true)
    FROM window_legs
),
from_windows AS (
    SELECT
        key,
        CASE measure
            WHEN 'ttft' THEN 1 WHEN 'queue' THEN 2 WHEN 'prefill' THEN 3
            WHEN 'tpot' THEN 6 WHEN 'itl' THEN 7 WHEN 'decode' THEN 8 WHEN 'e2e' THEN 9
        END AS place,
        CASE measure WHEN 'ttft' THEN 'TTFT' WHEN 'tpot' THEN 'TPOT' WHEN 'itl' THEN 'ITL' ELSE measure END AS measure,
        'windows' AS basis,
        n,
        NULL::BIGINT AS finished,
        NULL::BIGINT AS excluded,
        zero AS zeros,
        mean / 1e9 AS mean,
        [p50 / 1e9, p90 / 1e9, p95 / 1e9, p99 / 1e9, p999 / 1e9] AS q,
        max / 1e9 AS max
    FROM v1.sketch_percentiles(
        CASE $by
            WHEN 'all' THEN 'all'
            WHEN 'model' THEN model
            WHEN 'model_version' THEN v1.pair(model, '@', model_version)
            WHEN 'adapter' THEN adapter
            WHEN 'instance' THEN instance
            WHEN 'request_class' THEN request_class
            -- Read from facts, such a group only lacks its ITL.
            ELSE CASE WHEN $basis = 'windows' THEN error('windows do not know this grouping: choose all, model, model_version, adapter, instance or request_class') END
        END,
        (measure = 'itl' AND $by IN ('all', 'model', 'model_version', 'adapter', 'instance', 'request_class') OR $basis = 'windows')
            AND (coalesce(model, ''), measure, role) IN (SELECT (s.model, s.measure, s.role) FROM speaking s),
        v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP),
        $from::TIMESTAMP,
        $to::TIMESTAMP
    )
)
SELECT
    key AS "group",
    measure,
    basis,
    n,
    finished,
    excluded,
    zeros,
    mean,
    q[1] AS p50,
    q[2] AS p90,
    q[3] AS p95,
    q[4] AS p99,
    q[5] AS p999,
    max,
    since AS window_from,
    until AS window_to
FROM (SELECT * FROM from_facts UNION ALL SELECT * FROM from_windows) rows, span
ORDER BY key NULLS LAST, place, basis;
