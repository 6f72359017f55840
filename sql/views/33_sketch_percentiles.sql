-- Merges the distributions of one tier by any expression over their columns and reads the usual percentiles,
-- by nearest rank, in the measure's own unit: FROM v1.sketch_percentiles(model, role = 'engine', 60, since, until).
-- keep is a condition over the same columns; since is inclusive, until exclusive, NULL is open.
-- Deltas are added bucket by bucket, so any union of windows, instances or days is exact to the bucket.
CREATE OR REPLACE MACRO v1.sketch_percentiles(by_key, keep, tier, since, until) AS TABLE
WITH picked AS (
    SELECT by_key AS key, measure, n, zero, total, min, max, idx, cnt
    FROM v1.request_sketch_deltas
    WHERE level_seconds = tier
        AND (keep)
        AND window_start >= coalesce(since, '-infinity'::TIMESTAMP)
        AND window_start < coalesce(until, 'infinity'::TIMESTAMP)
),
heads AS (
    SELECT
        key, measure,
        v1.bigint(sum(zero)) AS zero,
        sum(total)::HUGEINT AS total,
        min(min) AS least_seen,
        max(max) AS greatest_seen
    FROM picked
    GROUP BY key, measure
),
unnested AS (
    SELECT key, measure, unnest(idx) AS bucket, unnest(cnt) AS observations
    FROM picked
),
buckets AS (
    SELECT key, measure, bucket, v1.bigint(sum(observations)) AS observations
    FROM unnested
    GROUP BY key, measure, bucket
    HAVING sum(observations) > 0
),
-- Where each bucket ends in the order of all observations, the zeros before it not counted.
running AS (
    SELECT
        key, measure, bucket,
        sum(observations) OVER (PARTITION BY key, measure ORDER BY bucket) AS upto,
        sum(observations) OVER (PARTITION BY key, measure) AS positive
    FROM buckets
),
ranked AS (
    SELECT r.key, r.measure, r.bucket, r.upto, r.positive, h.zero, h.zero + r.positive AS n
    FROM running r
    JOIN heads h ON h.key IS NOT DISTINCT FROM r.key AND h.measure = r.measure
),
read AS (
    SELECT
        key, measure,
        max(n) AS n,
        min(bucket) FILTER (zero < v1.nearest_rank(0.5, n) AND zero + upto >= v1.nearest_rank(0.5, n)) AS b50,
        min(bucket) FILTER (zero < v1.nearest_rank(0.9, n) AND zero + upto >= v1.nearest_rank(0.9, n)) AS b90,
        min(bucket) FILTER (zero < v1.nearest_rank(0.95, n) AND zero + upto >= v1.nearest_rank(0.95, n)) AS b95,
        min(bucket) FILTER (zero < v1.nearest_rank(0.99, n) AND zero + upto >= v1.nearest_rank(0.99, n)) AS b99,
        min(bucket) FILTER (zero < v1.nearest_rank(0.999, n) AND zero + upto >= v1.nearest_rank(0.999, n)) AS b999
    FROM ranked
    GROUP BY key, measure
)
SELECT
    h.key,
    h.measure,
    v1.bigint(coalesce(r.n, h.zero)) AS n,
    h.zero,
    v1.ratio(h.total, coalesce(r.n, h.zero)) AS mean,
    v1.sketch_value(r.b50, h.least_seen, h.greatest_seen) AS p50,
    v1.sketch_value(r.b90, h.least_seen, h.greatest_seen) AS p90,
    v1.sketch_value(r.b95, h.least_seen, h.greatest_seen) AS p95,
    v1.sketch_value(r.b99, h.least_seen, h.greatest_seen) AS p99,
    v1.sketch_value(r.b999, h.least_seen, h.greatest_seen) AS p999,
    h.greatest_seen AS max
FROM heads h
LEFT JOIN read r ON r.key IS NOT DISTINCT FROM h.key AND r.measure = h.measure
WHERE coalesce(r.n, h.zero) > 0;
