-- Money is DECIMAL with 12 places, picodollars, and summed as such; only a price per token is a DOUBLE.

-- What GPUs (in millionths) at a price per GPU-hour cost from a time on until another: whole picodollars, rounded.
-- Taken from one start, differences of it are additive: the parts of a range cost what the range costs.
CREATE OR REPLACE MACRO v1.cost_so_far(since, until, gpus_ppm, usd_per_hour) AS
    (((epoch_us(until)::HUGEINT - epoch_us(since)::HUGEINT)
        * gpus_ppm::HUGEINT
        * (usd_per_hour::DECIMAL(24, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT
        + 1800000000000000::HUGEINT)
        // 3600000000000000::HUGEINT
    )::DECIMAL(26, 0) * 0.000000000001::DECIMAL(12, 12);

-- USD as whole picodollars.
CREATE OR REPLACE MACRO v1.picodollars(usd) AS
    (usd::DECIMAL(26, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT;

-- Whole picodollars as USD.
CREATE OR REPLACE MACRO v1.usd_of(picodollars) AS
    picodollars::DECIMAL(26, 0) * 0.000000000001::DECIMAL(12, 12);

-- What of an amount, a whole number, falls on [since, until) of a whole that it is spread over evenly; parts add up to the amount.
CREATE OR REPLACE MACRO v1.part_between(amount, since, until, whole) AS
    CASE
        WHEN whole > 0 THEN
            (amount::HUGEINT * until::HUGEINT + whole::HUGEINT // 2) // whole::HUGEINT
            - (amount::HUGEINT * since::HUGEINT + whole::HUGEINT // 2) // whole::HUGEINT
    END;

-- The same of USD: whole picodollars.
CREATE OR REPLACE MACRO v1.picodollars_between(usd, since, until, whole) AS
    v1.part_between(v1.picodollars(usd), since, until, whole);

CREATE OR REPLACE MACRO v1.usd_between(usd, since, until, whole) AS
    v1.usd_of(v1.picodollars_between(usd, since, until, whole));

-- The same, twenty times as fast, where the amount is known in picodollars: v1.picodollars_of(usd, whole), NULL where 64 bits are too
-- few. A product of 128 bits is divided in two halves of 20 bits, each of which fits into 64; since and until lie within whole.
CREATE OR REPLACE MACRO v1.picodollars_of(usd, whole) AS
    CASE
        WHEN usd BETWEEN 0 AND 4000000 AND whole BETWEEN 1 AND 2199023255552
        THEN v1.picodollars(usd)::BIGINT
    END;

CREATE OR REPLACE MACRO v1.picodollars_until(picodollars, place, whole) AS
    picodollars // whole * place
    + (picodollars % whole * (place >> 20) // whole << 20)
    + ((picodollars % whole * (place >> 20) % whole << 20) + picodollars % whole * (place & 1048575) + whole // 2) // whole;

CREATE OR REPLACE MACRO v1.picodollars_in_quarter(usd, picodollars, since, until, whole) AS
    coalesce(
        v1.picodollars_until(picodollars, until, whole) - v1.picodollars_until(picodollars, since, whole),
        CASE WHEN usd IS NOT NULL THEN v1.picodollars_between(usd, since, until, whole) END -- no division where there is no price
    );

CREATE OR REPLACE MACRO v1.usd_in_quarter(usd, picodollars, since, until, whole) AS
    v1.usd_of(v1.picodollars_in_quarter(usd, picodollars, since, until, whole));

-- Whole nanoseconds as seconds with all digits.
CREATE OR REPLACE MACRO v1.ns_seconds(ns) AS
    ns::DECIMAL(26, 0) * 0.000000001::DECIMAL(12, 12);
