-- Safe arithmetic: a view never shows NaN, Inf or a negative duration.

-- Quotient of two sums as DOUBLE, the last step of a query; NULL when there is nothing to divide by.
CREATE OR REPLACE MACRO v1.ratio(part, whole) AS
    CASE WHEN whole > 0 THEN part::DOUBLE / whole::DOUBLE END;

-- A sum as BIGINT; beyond the ends of that it stops there, so that no flood of great numbers makes a query fail.
CREATE OR REPLACE MACRO v1.bigint(x) AS
    CASE
        WHEN x > 9223372036854775807 THEN 9223372036854775807
        WHEN x < -9223372036854775807 THEN -9223372036854775807
        ELSE x
    END::BIGINT;

-- Nanoseconds as seconds; NULL when negative.
CREATE OR REPLACE MACRO v1.seconds(ns) AS
    CASE WHEN ns >= 0 THEN ns::DOUBLE / 1e9 END;

-- Seconds as whole nanoseconds, for sums: a sum of DOUBLE depends on the order of the rows.
CREATE OR REPLACE MACRO v1.ns(seconds) AS
    round(seconds * 1e9)::BIGINT;

-- A time kept as nanoseconds since 1970 UTC; 0 is unknown.
CREATE OR REPLACE MACRO v1.from_ns(ns) AS
    CASE WHEN ns <> 0 THEN make_timestamp_ns(ns)::TIMESTAMP END;

-- Parts per million as a ratio of 0 to 1.
CREATE OR REPLACE MACRO v1.ppm(x) AS
    x::DOUBLE / 1e6;

-- A keyed 64-bit hash as 16 hex digits.
CREATE OR REPLACE MACRO v1.hash_text(hash) AS
    lower(lpad(to_hex(hash), 16, '0'));

-- Seconds from one TIMESTAMP to another.
CREATE OR REPLACE MACRO v1.seconds_between(a, b) AS
    (epoch_us(b) - epoch_us(a))::DOUBLE / 1e6;

-- Time that [a, b) and [c, d) share, in nanoseconds. TIMESTAMP in, HUGEINT out; NULL when one of them is not known
-- (greatest and least pass over NULL).
CREATE OR REPLACE MACRO v1.overlap_ns(a, b, c, d) AS
    CASE
        WHEN a IS NOT NULL AND b IS NOT NULL AND c IS NOT NULL AND d IS NOT NULL
        THEN greatest(0, epoch_ns(least(b, d))::HUGEINT - epoch_ns(greatest(a, c))::HUGEINT)
    END;

-- Mean of a gauge over the time in which it was known, as DOUBLE, in the gauge's unit.
CREATE OR REPLACE MACRO v1.time_mean(value_ns, observed_ns) AS
    CASE WHEN observed_ns > 0 THEN value_ns::DOUBLE / observed_ns::DOUBLE END;

-- Two names as one, a@b; NULL when neither is known.
CREATE OR REPLACE MACRO v1.pair(a, separator, b) AS
    nullif(concat_ws(separator, a, b), '');

-- How much of a whole number that is spread evenly over [a, b] falls before t. One of a single moment (a = b) falls where the
-- moment does. TIMESTAMP in, HUGEINT out, rounded down.
CREATE OR REPLACE MACRO v1.spread_before(x, a, b, t) AS
    CASE
        WHEN t <= a THEN 0
        WHEN t >= b THEN x::HUGEINT
        ELSE x::HUGEINT * (epoch_us(t) - epoch_us(a)) // (epoch_us(b) - epoch_us(a))
    END;

-- How much of it falls into [c, d), as windows have it: what adjoining ranges have adds up to the number.
CREATE OR REPLACE MACRO v1.spread(x, a, b, c, d) AS
    v1.spread_before(x, a, b, d) - v1.spread_before(x, a, b, c);

-- amount · place ÷ whole, rounded down, of whole numbers from 0, place at most whole: what of an amount that is spread evenly lies before a
-- place. In 64 bits where they are enough: small amounts, or the two halves of a place in a short whole.
CREATE OR REPLACE MACRO v1.whole_part(amount, place, whole) AS
    CASE
        WHEN place = whole OR whole = 0 THEN amount
        WHEN amount = whole THEN place
        WHEN amount < 4000000 AND whole <= 2199023255552 THEN amount * place // whole
        WHEN amount <= 4000000000000000000 AND whole <= 2199023255552
        THEN amount // whole * place
            + (amount % whole * (place >> 20) // whole << 20)
            + ((amount % whole * (place >> 20) % whole << 20) + amount % whole * (place & 1048575)) // whole
        ELSE (amount::HUGEINT * place // whole)::BIGINT
    END;
