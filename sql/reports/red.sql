-- RED: rate, errors, duration
--
-- What a service's users get: requests a second, how they ended, and how long they took, on the counting leg. success is ok
-- alone; error_ratio is errors, timeouts and lost over all that ended: what the server did wrong. http_4xx and http_5xx are of
-- requests whose status is known. Durations are end to end, of the n that ended ok; from windows at most 1 % off.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, instance, request_class, model_class}: What to group by.
--
-- unit request_rate: requests/s
-- unit success_ratio, error_ratio: ratio
-- unit p50, p90, p95, p99, p999, max: seconds
-- optional arrivals, p90, p999, max, unknown, lost, rejected, cancelled, http_4xx, http_5xx, timeouts, error_ratio
-- rare timeouts, rejected, lost, unknown
-- horizon complete
-- layer availability, latency, RED
-- chart bars "Requests a second": request_rate over group
-- chart stack "How requests ended": ok, errors, timeouts, rejected, cancelled, lost, unknown over group
-- chart bars "End-to-end time": p50, p95, p99 over group
WITH span AS (
    SELECT since, until FROM v1.window_range($from, $to)
),
ended AS (
    SELECT * FROM v1.group_outcomes($by, v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP), NULL::BIGINT, $from, $to)
),
took AS (
    SELECT *
    FROM v1.group_percentiles($by, ['e2e'], $from, $to)
)
SELECT
    e.key AS "group",
    e.arrivals,
    e.requests,
    v1.ratio(e.requests, v1.seconds_between(since, until)) AS request_rate,
    e.ok,
    e.errors,
    e.timeouts,
    e.rejected,
    e.cancelled,
    e.lost,
    e.unknown,
    e.http_4xx,
    e.http_5xx,
    v1.ratio(e.ok, e.requests) AS success_ratio,
    v1.ratio(e.errors + e.timeouts + e.lost, e.requests) AS error_ratio,
    coalesce(t.n, 0) AS n,
    t.p50 / 1e9 AS p50,
    t.p90 / 1e9 AS p90,
    t.p95 / 1e9 AS p95,
    t.p99 / 1e9 AS p99,
    t.p999 / 1e9 AS p999,
    t.max / 1e9 AS max,
    since AS window_from,
    until AS window_to
FROM ended e
CROSS JOIN span
LEFT JOIN took t ON t.key IS NOT DISTINCT FROM e.key
WHERE e.requests > 0 OR e.arrivals > 0
ORDER BY e.key NULLS LAST;
