-- Latency over time
--
-- TTFT, TPOT and end-to-end time a step of time and group, from window sketches: by nearest rank, at most 1 % off. TTFT counts
-- where the first token came, the others where the request ended ok. A step without an observation has no row.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, instance, request_class, model_class}: What to group by.
-- param step BIGINT: Seconds of a step, a multiple of 10; about a hundred steps where not given.
--
-- unit p50, p90, p99: seconds
-- optional p90
-- horizon complete
-- layer TTFT, TPOT / ITL, latency
-- chart band "TTFT": p50, p90, p99 over time each group where measure = TTFT
-- chart band "TPOT": p50, p90, p99 over time each group where measure = TPOT
-- chart band "End-to-end time": p50, p90, p99 over time each group where measure = e2e
WITH span AS (
    SELECT since, until, step, tier FROM v1.stepped_range($from, $to, $step)
)
SELECT
    key.begins AS "time",
    key.name AS "group",
    CASE measure WHEN 'ttft' THEN 'TTFT' WHEN 'tpot' THEN 'TPOT' ELSE measure END AS measure,
    n,
    p50 / 1e9 AS p50,
    p90 / 1e9 AS p90,
    p99 / 1e9 AS p99,
    since AS window_from,
    until AS window_to
FROM v1.sketch_percentiles(
    {
        'name': v1.window_group($by, model, model_version, adapter, instance, request_class),
        'begins': time_bucket(to_seconds((SELECT step FROM span)), window_start)
    },
    measure IN ('ttft', 'tpot', 'e2e')
        AND (coalesce(model, ''), measure, role) IN (SELECT (s.model, s.measure, s.role) FROM v1.speaking_roles s),
    (SELECT tier FROM span),
    $from::TIMESTAMP,
    $to::TIMESTAMP
)
CROSS JOIN span
ORDER BY measure = 'e2e', measure = 'tpot', key.name NULLS LAST, key.begins;
