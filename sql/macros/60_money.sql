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

-- What of an amount falls on [since, until) of a whole that it is spread over evenly: whole picodollars. The parts of the whole cost
-- what the whole costs.
CREATE OR REPLACE MACRO v1.usd_between(usd, since, until, whole) AS
    CASE
        WHEN whole > 0 THEN (
            ((usd::DECIMAL(26, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT * until::HUGEINT + whole::HUGEINT // 2) // whole::HUGEINT
            - ((usd::DECIMAL(26, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT * since::HUGEINT + whole::HUGEINT // 2) // whole::HUGEINT
        )::DECIMAL(26, 0) * 0.000000000001::DECIMAL(12, 12)
    END;

-- Whole picodollars as USD.
CREATE OR REPLACE MACRO v1.usd_of(picodollars) AS
    picodollars::DECIMAL(26, 0) * 0.000000000001::DECIMAL(12, 12);

-- Whole nanoseconds as seconds with all digits.
CREATE OR REPLACE MACRO v1.ns_seconds(ns) AS
    ns::DECIMAL(26, 0) * 0.000000001::DECIMAL(12, 12);
