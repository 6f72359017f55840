-- Availability
--
-- The service level over time, a row a step and group: requests that ended on the counting leg, how many of them were ok, and how
-- many engines stood ready of those that were there. success_ratio is the SLI; a step without requests has none. Engines are
-- of the model that they serve (v1.instances), weighted by their time in the step; ready is from ready to draining or their end.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, instance}: What to group by.
-- param step BIGINT: Seconds of a step, a multiple of 10; about a hundred steps where not given.
--
-- unit success_ratio, ready_ratio: ratio
-- unit ready_mean, present_mean: instances
-- optional present_mean, http_5xx, http_4xx, ready_mean, cancelled, ok, errors
-- rare timeouts, rejected, lost, unknown
-- horizon complete
-- layer availability
-- chart lines "Share of requests that ended well": success_ratio over time by group
-- chart lines "Engines ready": ready_mean over time by group
WITH span AS (
    SELECT since, until, step, tier FROM v1.stepped_range($from, $to, $step)
),
ended AS (
    SELECT *
    FROM v1.group_outcomes($by, (SELECT tier FROM span), (SELECT step FROM span), $from, $to)
    WHERE requests > 0
),
engines AS (
    SELECT
        v1.window_group($by, model, model_version, NULL, instance, NULL) AS key,
        from_at,
        coalesce(to_at, until) AS to_at,
        ready_at,
        coalesce(draining_at, to_at, until) AS ready_to,
        greatest(from_at, since) AS seen_from
    FROM v1.instances
    CROSS JOIN span
    WHERE coalesce(role, 'engine') NOT IN ('gateway', 'client')
        AND from_at < until
        AND coalesce(to_at, until) > since
),
steps AS (
    SELECT
        unnest(generate_series(time_bucket(to_seconds(step), since), until - INTERVAL 1 MICROSECOND, to_seconds(step))) AS begins,
        since,
        until,
        step
    FROM span
),
health AS (
    SELECT
        begins,
        key,
        v1.ratio(sum(v1.overlap_ns(ready_at, ready_to, step_from, step_to)), v1.seconds_between(step_from, step_to) * 1e9) AS ready_mean,
        v1.ratio(sum(v1.overlap_ns(from_at, to_at, step_from, step_to)), v1.seconds_between(step_from, step_to) * 1e9) AS present_mean
    FROM (SELECT begins, greatest(begins, since) AS step_from, least(begins + to_seconds(step), until) AS step_to FROM steps)
    CROSS JOIN engines
    GROUP BY begins, key, step_from, step_to
    HAVING sum(v1.overlap_ns(from_at, to_at, step_from, step_to)) > 0
)
SELECT
    coalesce(e.begins, h.begins) AS "time",
    coalesce(e.key, h.key) AS "group",
    coalesce(e.requests, 0) AS requests,
    coalesce(e.ok, 0) AS ok,
    coalesce(e.errors, 0) AS errors,
    coalesce(e.timeouts, 0) AS timeouts,
    coalesce(e.rejected, 0) AS rejected,
    coalesce(e.cancelled, 0) AS cancelled,
    coalesce(e.lost, 0) AS lost,
    coalesce(e.unknown, 0) AS unknown,
    coalesce(e.http_4xx, 0) AS http_4xx,
    coalesce(e.http_5xx, 0) AS http_5xx,
    v1.ratio(e.ok, e.requests) AS success_ratio,
    h.ready_mean,
    h.present_mean,
    v1.ratio(h.ready_mean, h.present_mean) AS ready_ratio,
    since AS window_from,
    until AS window_to
FROM ended e
FULL JOIN health h ON h.begins = e.begins AND h.key IS NOT DISTINCT FROM e.key
CROSS JOIN span
ORDER BY "group" NULLS LAST, "time";
