-- What an API would ask.

-- The service tier of a price list that a request's is: NULL for the standard one.
CREATE OR REPLACE MACRO v1.paid_tier(service_tier) AS
    CASE WHEN service_tier NOT IN ('', 'default', 'standard', 'auto') THEN service_tier END;

-- How many of the tokens from position a until b lie from position c until d; none where one is not known (least passes over NULL).
CREATE OR REPLACE MACRO v1.tokens_in(a, b, c, d) AS
    CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL THEN 0 ELSE greatest(0, least(b, d) - greatest(a, c)) END::HUGEINT;
