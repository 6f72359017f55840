-- One row a price and period: what a GPU-hour costs from valid_from to valid_to, or to the next row for the same (NULL: still). It is
-- for the instances with its price_key, node, region and gpu_type, as far as it names them, bought as kind says. variant is list,
-- contracted or effective; source said it, version is the commit that took it in, the last one counts.
CREATE OR REPLACE VIEW v1.prices AS
WITH told AS (
    SELECT
        gpu_type,
        valid_from,
        valid_to,
        usd_per_hour,
        price_key,
        node,
        region,
        kind,
        coalesce(variant, 'list') AS variant,
        method,
        source,
        version
    FROM main.prices
    WHERE replaced IS NULL
    QUALIFY row_number() OVER (
        PARTITION BY gpu_type, price_key, node, region, kind, coalesce(variant, 'list'), valid_from
        ORDER BY version DESC NULLS LAST, source DESC NULLS LAST, usd_per_hour DESC
    ) = 1
)
SELECT
    gpu_type,
    valid_from::TIMESTAMP AS valid_from,
    least(valid_to, lead(valid_from) OVER (PARTITION BY gpu_type, price_key, node, region, kind, variant ORDER BY valid_from))::TIMESTAMP AS valid_to,
    usd_per_hour::DECIMAL(38, 12) AS usd_per_hour,
    price_key,
    node,
    region,
    kind,
    variant,
    method,
    source,
    version
FROM told;
