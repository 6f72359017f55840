-- What an API would ask.

-- The service tier of a price list that a request's is: NULL for the standard one.
CREATE OR REPLACE MACRO v1.paid_tier(service_tier) AS
    CASE WHEN service_tier NOT IN ('', 'default', 'standard', 'auto') THEN service_tier END;

-- How many of the tokens from position a until b lie from position c until d; none where one is not known (least passes over NULL).
CREATE OR REPLACE MACRO v1.tokens_in(a, b, c, d) AS
    CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL THEN 0 ELSE greatest(0, least(b, d) - greatest(a, c)) END::HUGEINT;

-- USD as whole picodollars.
CREATE OR REPLACE MACRO v1.picodollars(usd) AS
    (usd::DECIMAL(26, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT;

-- Whole picodollars as USD.
CREATE OR REPLACE MACRO v1.from_picodollars(n) AS
    n::DECIMAL(26, 0) * 0.000000000001::DECIMAL(12, 12);

-- What of an amount, a whole number, falls on [since, until) of a whole that it is spread over evenly; parts add up to the amount.
CREATE OR REPLACE MACRO v1.part_between(amount, since, until, whole) AS
    CASE
        WHEN whole > 0 THEN
            (amount::HUGEINT * until::HUGEINT + whole::HUGEINT // 2) // whole::HUGEINT
            - (amount::HUGEINT * since::HUGEINT + whole::HUGEINT // 2) // whole::HUGEINT
    END;
