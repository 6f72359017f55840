-- Sketches: fixed log-scale buckets over whole numbers, 64 a power of two, at most 1 % wide to either side.
-- A value v below 64 has bucket v of its own. Above, e = floor(log2 v) - 6 and bucket e*64 + (v >> e):
-- buckets 64*(e+1) to 64*(e+2)-1 have width 2^e. Zero is kept apart. Everything is BIGINT and exact.

-- Power of two that is the width of a bucket.
CREATE OR REPLACE MACRO v1.sketch_shift(idx) AS
    greatest(idx // 64 - 1, 0)::BIGINT;

-- Width of a bucket, in the measure's unit.
CREATE OR REPLACE MACRO v1.sketch_width(idx) AS
    1::BIGINT << v1.sketch_shift(idx);

-- Least value of a bucket; the greatest is sketch_lower + sketch_width - 1.
CREATE OR REPLACE MACRO v1.sketch_lower(idx) AS
    (idx - 64 * v1.sketch_shift(idx))::BIGINT << v1.sketch_shift(idx);

-- The value that stands for a bucket.
CREATE OR REPLACE MACRO v1.sketch_midpoint(idx) AS
    v1.sketch_lower(idx) + (v1.sketch_width(idx) - 1) // 2;

-- Bucket of a value above 0.
CREATE OR REPLACE MACRO v1.sketch_bucket(v) AS
    CASE
        WHEN v < 64 THEN v::BIGINT
        ELSE (length(ltrim(bin(v::BIGINT), '0')) - 7) * 64 + (v::BIGINT >> (length(ltrim(bin(v::BIGINT), '0')) - 7)::BIGINT)
    END;

-- Nearest rank of quantile q among n: the least whole number not below q*n, at least 1. q counts in millionths.
CREATE OR REPLACE MACRO v1.nearest_rank(q, n) AS
    greatest(1, (round(q * 1000000)::HUGEINT * n + 999999) // 1000000);

-- Value of the bucket that holds a rank, kept inside what was seen. NULL bucket: the rank is among the zeros.
CREATE OR REPLACE MACRO v1.sketch_value(idx, least_seen, greatest_seen) AS
    CASE
        WHEN idx IS NULL THEN 0
        ELSE least(greatest(v1.sketch_midpoint(idx), coalesce(least_seen, 0)), coalesce(greatest_seen, 9223372036854775807))
    END;

-- Quantile q of one merged sketch (a row of v1.request_sketches), in the measure's unit; NULL when empty.
CREATE OR REPLACE MACRO v1.sketch_quantile(idx, cnt, zero, least_seen, greatest_seen, q) AS
    CASE
        WHEN zero + coalesce(list_sum(cnt), 0) > 0 THEN v1.sketch_value(
            idx[list_position(
                list_transform(cnt, lambda c, i:
                    zero + list_sum(cnt[1:i]) >= greatest(v1.nearest_rank(q, zero + list_sum(cnt)), zero + 1)
                    AND zero < v1.nearest_rank(q, zero + list_sum(cnt))),
                true)],
            least_seen, greatest_seen)
    END;
