-- Reconciliation
--
-- Whether request rows tie with the engines' own counters, a row a group and kind of count: counter is what the counters rose by in
-- the range; ok, cancelled and other are what the requests that ended in it had, by their outcome. difference = counter − all
-- three: requests that still run, or were begun before the range (negative); over a long range it is what no request told. An
-- engine without counters has none (empty), and no difference. Of ended requests the counters are finished + aborted, of those that
-- engines count apart.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, instance}: What to group by.
--
-- unit difference_ratio: ratio
-- horizon settled
-- layer cancellation, completeness
-- chart stack "Tokens told, by outcome": ok, cancelled, other over group each count
WITH span AS (
    SELECT since, until FROM v1.window_range($from, $to)
),
counters AS (
    SELECT
        v1.window_group($by, model, model_version, NULL, instance, NULL) AS key,
        sum(prompt_tokens_increase) AS prompt_tokens,
        sum(output_tokens_increase) AS output_tokens,
        sum(finished_increase) AS finished,
        sum(aborted_increase) AS aborted
    FROM v1.engine_window_deltas
    WHERE level_seconds = v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP)
        AND window_start >= coalesce($from::TIMESTAMP, '-infinity'::TIMESTAMP)
        AND window_start < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
    GROUP BY ALL
),
counted AS (
    SELECT key, unnest([
        {place: 1, count: 'prompt tokens', counter: prompt_tokens},
        {place: 2, count: 'output tokens', counter: output_tokens},
        {place: 3, count: 'requests ended', counter: coalesce(finished + aborted, finished, aborted)}
    ], recursive := true)
    FROM counters
),
told AS (
    SELECT key, CASE WHEN outcome IN ('ok', 'cancelled') THEN outcome ELSE 'other' END AS kind, unnest([
        {place: 1, count: 'prompt tokens', told: CASE WHEN counts_prompt THEN prompt_tokens END},
        {place: 2, count: 'output tokens', told: CASE WHEN counts_output THEN output_tokens END},
        {place: 3, count: 'requests ended', told: CASE WHEN counts_output THEN 1 END}
    ], recursive := true)
    FROM v1.grouped_requests($by)
    CROSS JOIN span
    WHERE finished_at >= since
        AND finished_at < until
        AND (counts_prompt OR counts_output)
),
summed AS (
    SELECT
        key,
        place,
        count,
        sum(told) FILTER (kind = 'ok') AS ok,
        sum(told) FILTER (kind = 'cancelled') AS cancelled,
        sum(told) FILTER (kind = 'other') AS other,
        -- Kinds whose requests tell nothing: unknown, not none.
        count(*) FILTER (kind = 'ok') > 0 AND count(told) FILTER (kind = 'ok') = 0 AS ok_unknown,
        count(*) FILTER (kind = 'cancelled') > 0 AND count(told) FILTER (kind = 'cancelled') = 0 AS cancelled_unknown,
        count(*) FILTER (kind = 'other') > 0 AND count(told) FILTER (kind = 'other') = 0 AS other_unknown,
        CASE WHEN count(told) > 0 THEN sum(told) END AS told
    FROM told
    GROUP BY ALL
)
SELECT
    coalesce(s.key, c.key) AS "group",
    coalesce(s.count, c.count) AS count,
    c.counter::BIGINT AS counter,
    CASE WHEN NOT coalesce(s.ok_unknown, FALSE) THEN coalesce(s.ok, 0) END::BIGINT AS ok,
    CASE WHEN NOT coalesce(s.cancelled_unknown, FALSE) THEN coalesce(s.cancelled, 0) END::BIGINT AS cancelled,
    CASE WHEN NOT coalesce(s.other_unknown, FALSE) THEN coalesce(s.other, 0) END::BIGINT AS other,
    (c.counter - CASE WHEN s.key IS NULL AND s.place IS NULL THEN 0 ELSE s.told END)::BIGINT AS difference,
    CASE WHEN c.counter > 0 THEN difference::DOUBLE / c.counter::DOUBLE END AS difference_ratio,
    since AS window_from,
    until AS window_to
FROM summed s
FULL JOIN counted c ON c.key IS NOT DISTINCT FROM s.key AND c.place = s.place
CROSS JOIN span
ORDER BY "group" NULLS LAST, coalesce(s.place, c.place);
