-- One row an instance's boot, data-parallel rank, quarter of an hour and price: how long that price held in it, and what the GPUs cost
-- then: list, contracted, effective, and usd as costs are made. usd of a quarter add up to its v1.allocations.
CREATE OR REPLACE VIEW v1.allocation_prices AS
WITH pieces AS (
    SELECT
        a.quarter::TIMESTAMP AS quarter,
        a.instance,
        a.dp_index,
        a.boot,
        a.gpus_ppm,
        p.from_at AS since,
        greatest(p.from_at, make_timestamp_ns(epoch_ns(a.until) - a.held_ns)::TIMESTAMP) AS from_at,
        least(p.to_at, a.until::TIMESTAMP) AS to_at,
        p.* EXCLUDE (instance, boot, role, from_at, to_at, gpus_ppm)
    FROM main.allocations a
    JOIN v1.instance_prices p
        ON p.instance = a.instance AND p.boot = a.boot AND p.from_at < a.until::TIMESTAMP
        AND p.to_at > make_timestamp_ns(epoch_ns(a.until) - a.held_ns)::TIMESTAMP
    WHERE p.usd_per_hour IS NOT NULL
)
SELECT
    * EXCLUDE (since),
    (epoch_ns(to_at) - epoch_ns(from_at))::BIGINT AS priced_ns,
    v1.cost_so_far(since, to_at, gpus_ppm, list_usd_per_hour) - v1.cost_so_far(since, from_at, gpus_ppm, list_usd_per_hour) AS list_usd,
    v1.cost_so_far(since, to_at, gpus_ppm, contracted_usd_per_hour)
        - v1.cost_so_far(since, from_at, gpus_ppm, contracted_usd_per_hour) AS contracted_usd,
    v1.cost_so_far(since, to_at, gpus_ppm, effective_usd_per_hour)
        - v1.cost_so_far(since, from_at, gpus_ppm, effective_usd_per_hour) AS effective_usd,
    v1.cost_so_far(since, to_at, gpus_ppm, usd_per_hour) - v1.cost_so_far(since, from_at, gpus_ppm, usd_per_hour) AS usd
FROM pieces;
