-- Throughput over time
--
-- Requests and tokens a second, a step of time and group, as in throughput, and how many requests ran and waited on average.
-- All from windows: requests count when they end, tokens and times where they were spent. A step at the end of the range counts
-- as long as it is inside.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, instance, request_class, model_class}: What to group by.
-- param step BIGINT: Seconds of a step, a multiple of 10; about a hundred steps where not given.
--
-- unit request_rate: requests/s
-- unit input_rate, output_rate, total_rate: tokens/s
-- optional total_rate, requests, request_rate, waiting_mean, running_mean
-- horizon settled
-- layer throughput, queue
-- chart lines "Tokens a second, input and output": total_rate over time by group
-- chart lines "Output tokens a second": output_rate over time by group
-- chart lines "Requests a second": request_rate over time by group
-- chart lines "Requests running and waiting": running_mean, waiting_mean over time each group
WITH span AS (
    SELECT since, until, step, tier FROM v1.stepped_range($from, $to, $step)
),
stepped AS (
    SELECT
        time_bucket(to_seconds((SELECT step FROM span)), window_start) AS begins,
        key,
        sum(finished) FILTER (counts) AS requests,
        sum(prompt_tokens) FILTER (counts_prompt) AS input_tokens,
        sum(output_tokens) FILTER (counts_output) AS output_tokens,
        sum(running_ns) FILTER (counts_output) AS running_ns,
        sum(waiting_ns) FILTER (counts_prompt) AS waiting_ns
    FROM v1.grouped_windows($by, (SELECT tier FROM span), $from, $to)
    GROUP BY ALL
),
-- What of a step is inside the range.
lasting AS (
    SELECT
        * REPLACE (
            -- A group that tells of no token at all: unknown, not none.
            CASE WHEN sum(input_tokens) OVER of_group > 0 THEN coalesce(input_tokens, 0) END AS input_tokens,
            CASE WHEN sum(output_tokens) OVER of_group > 0 THEN coalesce(output_tokens, 0) END AS output_tokens
        ),
        v1.seconds_between(greatest(begins, since), least(begins + to_seconds(step), until)) AS seconds
    FROM stepped
    CROSS JOIN span
    WINDOW of_group AS (PARTITION BY key)
)
SELECT
    begins AS "time",
    key AS "group",
    coalesce(requests, 0)::BIGINT AS requests,
    v1.ratio(coalesce(requests, 0), seconds) AS request_rate,
    v1.ratio(input_tokens, seconds) AS input_rate,
    v1.ratio(output_tokens, seconds) AS output_rate,
    v1.ratio(input_tokens + output_tokens, seconds) AS total_rate,
    v1.ratio(running_ns / 1e9, seconds) AS running_mean,
    v1.ratio(waiting_ns / 1e9, seconds) AS waiting_mean,
    since AS window_from,
    until AS window_to
FROM lasting
ORDER BY key NULLS LAST, begins;
