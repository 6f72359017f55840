-- One row a GPU type and period: what a GPU-hour costs from valid_from to valid_to, or to the type's next row (NULL: still).
CREATE OR REPLACE VIEW v1.prices AS
SELECT
    gpu_type,
    valid_from::TIMESTAMP AS valid_from,
    least(valid_to, lead(valid_from) OVER (PARTITION BY gpu_type ORDER BY valid_from, usd_per_hour))::TIMESTAMP AS valid_to,
    usd_per_hour::DECIMAL(38, 12) AS usd_per_hour
FROM main.prices;
