-- Prices of GPUs
--
-- What a GPU-hour costs, for which instances, from when to when, and who said it. What is empty is any. Of the prices that fit an
-- instance the closest holds (docs/cost.md); variants are kept side by side.
--
-- unit usd_per_hour: USD
-- optional method, version, valid_to
-- layer cost
SELECT
    gpu_type,
    price_key,
    node,
    region,
    kind,
    variant,
    usd_per_hour,
    valid_from,
    valid_to,
    source,
    version,
    method
FROM v1.prices
ORDER BY gpu_type NULLS LAST, price_key NULLS FIRST, node NULLS FIRST, region NULLS FIRST, kind NULLS FIRST, variant, valid_from;
