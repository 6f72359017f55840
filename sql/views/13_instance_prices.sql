-- One row a boot of an instance and price period: GPUs that were held, and what a GPU-hour cost.
-- usd_per_hour is NULL where no price is known. The price is looked up by price_key, else by gpu_type.
-- An instance without an end counts up to v1.horizon.
CREATE OR REPLACE VIEW v1.instance_prices AS
WITH held AS (
    SELECT
        i.* EXCLUDE (to_at),
        coalesce(i.to_at, h.complete_through) AS to_at,
        CASE WHEN i.price_key IN (SELECT gpu_type FROM main.prices) THEN i.price_key ELSE i.gpu_type END AS priced_by
    FROM v1.instances i, v1.horizon h
    -- A gateway has no GPUs to count; an engine that does not say its GPUs stays, with unknown GPU-hours.
    WHERE i.gpus_ppm IS NOT NULL OR coalesce(i.role, '') NOT IN ('gateway', 'client')
),
-- Times without a price, before, between and after the price list's rows, are periods too: unpriced, not free.
periods AS (
    SELECT gpu_type, valid_from, coalesce(valid_to, 'infinity'::TIMESTAMP) AS valid_to, usd_per_hour
    FROM v1.prices
    UNION ALL
    SELECT
        gpu_type,
        valid_to,
        coalesce(lead(valid_from) OVER (PARTITION BY gpu_type ORDER BY valid_from), 'infinity'::TIMESTAMP),
        NULL
    FROM v1.prices
    UNION ALL
    SELECT gpu_type, '-infinity'::TIMESTAMP, min(valid_from), NULL
    FROM v1.prices
    GROUP BY gpu_type
)
SELECT
    i.instance,
    i.boot,
    i.role,
    greatest(i.from_at, coalesce(p.valid_from, i.from_at)) AS from_at,
    least(i.to_at, coalesce(p.valid_to, i.to_at)) AS to_at,
    i.gpus_ppm,
    -- No GPU costs nothing, whatever the price.
    CASE WHEN i.gpus_ppm = 0 THEN 0::DECIMAL(38, 12) ELSE p.usd_per_hour END AS usd_per_hour,
    i.priced_by AS price_key,
    i.gpu_type,
    i.engine,
    i.engine_version,
    i.model,
    i.model_version,
    i.deployment,
    i.namespace,
    i.cluster,
    i.node,
    i.pod,
    i.region
FROM held i
LEFT JOIN periods p
    ON p.gpu_type = i.priced_by
    AND p.valid_from < p.valid_to
    AND p.valid_from < i.to_at
    AND p.valid_to > i.from_at
WHERE i.from_at < i.to_at;
