-- TTFT heat map
--
-- How many requests had a time to first token of about so much, a step of time: the buckets of window sketches, gathered to four
-- an octave, of the counting leg. bucket is where a bucket begins; 0 is a clock that stood still. share is of the step's
-- requests, n.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, instance, request_class, model_class}: What to group by.
-- param step BIGINT: Seconds of a step, a multiple of 10; about a hundred steps where not given.
--
-- unit bucket: seconds
-- unit share: ratio
-- horizon complete
-- layer TTFT
-- chart heat "Requests by time to first token": requests over time and bucket each group
WITH span AS (
    SELECT since, until, step, tier FROM v1.stepped_range($from, $to, $step)
),
picked AS (
    SELECT
        time_bucket(to_seconds((SELECT step FROM span)), window_start) AS begins,
        v1.window_group($by, model, model_version, adapter, instance, request_class) AS key,
        zero,
        idx,
        cnt
    FROM v1.request_sketch_deltas
    WHERE measure = 'ttft'
        AND level_seconds = (SELECT tier FROM span)
        AND window_start >= coalesce($from::TIMESTAMP, '-infinity'::TIMESTAMP)
        AND window_start < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
        AND (coalesce(model, ''), measure, role) IN (SELECT (s.model, s.measure, s.role) FROM v1.speaking_roles s)
),
-- Sixteen buckets of a sketch are a quarter of an octave.
counted AS (
    SELECT begins, key, bucket // 16 * 16 AS bucket, sum(observations)::BIGINT AS requests
    FROM (
        SELECT begins, key, unnest(idx) AS bucket, unnest(cnt) AS observations FROM picked
        UNION ALL
        SELECT begins, key, 0, zero FROM picked
    )
    GROUP BY ALL
    HAVING sum(observations) > 0
)
SELECT
    begins AS "time",
    key AS "group",
    v1.sketch_lower(bucket) / 1e9 AS bucket,
    requests,
    (sum(requests) OVER step_of_group)::BIGINT AS n,
    v1.ratio(requests, sum(requests) OVER step_of_group) AS share,
    since AS window_from,
    until AS window_to
FROM counted
CROSS JOIN span
WINDOW step_of_group AS (PARTITION BY key, begins)
ORDER BY key NULLS LAST, begins, counted.bucket;
