-- Distributions over windows of event time: one row a tier, window, key and measure. Filter on ONE level_seconds.
-- Values are whole numbers: nanoseconds, tokens for *_length. Read quantiles with v1.sketch_quantile, merge with v1.sketch_percentiles.
CREATE OR REPLACE VIEW v1.request_sketches AS
WITH heads AS (
    SELECT
        level_seconds, window_start, role, instance, model, model_version, adapter, request_class, measure,
        v1.bigint(sum(n)) AS n,
        v1.bigint(sum(zero)) AS zero,
        sum(total)::HUGEINT AS total,
        min(min) AS min,
        max(max) AS max
    FROM v1.request_sketch_deltas
    GROUP BY ALL
),
buckets AS (
    SELECT
        level_seconds, window_start, role, instance, model, model_version, adapter, request_class, measure,
        unnest(idx) AS bucket,
        unnest(cnt) AS observations
    FROM v1.request_sketch_deltas
),
summed AS (
    SELECT * EXCLUDE (observations), v1.bigint(sum(observations)) AS observations
    FROM buckets
    GROUP BY ALL
    HAVING sum(observations) > 0
),
lists AS (
    SELECT
        * EXCLUDE (bucket, observations),
        list(bucket ORDER BY bucket) AS idx,
        list(observations ORDER BY bucket) AS cnt
    FROM summed
    GROUP BY ALL
)
SELECT h.*, coalesce(l.idx, []) AS idx, coalesce(l.cnt, []) AS cnt
FROM heads h
LEFT JOIN lists l
    ON l.level_seconds = h.level_seconds
    AND l.window_start = h.window_start
    AND l.role IS NOT DISTINCT FROM h.role
    AND l.instance IS NOT DISTINCT FROM h.instance
    AND l.model IS NOT DISTINCT FROM h.model
    AND l.model_version IS NOT DISTINCT FROM h.model_version
    AND l.adapter IS NOT DISTINCT FROM h.adapter
    AND l.request_class IS NOT DISTINCT FROM h.request_class
    AND l.measure = h.measure
WHERE h.n > 0;
