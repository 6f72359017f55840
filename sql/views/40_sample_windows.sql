-- Gauges and counters in long form: one row a tier, window, series and measure. Filter on ONE level_seconds.
-- Values are whole numbers in the measure's own unit, ratios in millionths; the wide views convert them.
CREATE OR REPLACE VIEW v1.sample_windows AS
SELECT
    level_seconds,
    window_start,
    kind,
    instance,
    dp_index,
    gpu,
    node,
    namespace,
    deployment,
    pod,
    model,
    model_version,
    measure,
    sum(n)::BIGINT AS samples,
    v1.time_mean(sum(value_ns), sum(observed_ns)) AS mean,
    min(min) AS least_value,
    max(max) AS greatest_value,
    sum(increase)::BIGINT AS increase,
    -- More than the window cannot be observed; several series of one key could say so.
    CASE
        WHEN sum(observed_ns) >= any_value(level_seconds) * 1000000000 THEN 1
        ELSE v1.ratio(sum(observed_ns), any_value(level_seconds) * 1000000000)
    END AS coverage
FROM v1.sample_window_deltas
GROUP BY ALL;
