-- Amounts as whole numbers, so that parts add up.

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
