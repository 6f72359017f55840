-- One row an instance's boot, data-parallel rank and quarter of an hour: what its time was and what it cost. startup + busy + idle +
-- down = held, in ns, and in USD to the picodollar; unattributed is what of busy no request accounts for. usd is NULL where no price
-- is known, and covers priced_ns of held_ns where it is known for a part. method says how busy was divided among requests.
CREATE OR REPLACE VIEW v1.allocations AS
WITH priced AS (
    SELECT
        a.instance,
        a.dp_index,
        a.boot,
        a.quarter,
        sum(
            v1.cost_so_far(p.from_at, least(p.to_at, a.until::TIMESTAMP), a.gpus_ppm, p.usd_per_hour)
            - v1.cost_so_far(p.from_at, greatest(p.from_at, make_timestamp_ns(epoch_ns(a.until) - a.held_ns)::TIMESTAMP), a.gpus_ppm, p.usd_per_hour)
        ) AS usd,
        sum(v1.overlap_ns(p.from_at, p.to_at, make_timestamp_ns(epoch_ns(a.until) - a.held_ns)::TIMESTAMP, a.until::TIMESTAMP))::BIGINT AS priced_ns
    FROM main.allocations a
    JOIN v1.instance_prices p
        ON p.instance = a.instance AND p.boot = a.boot AND p.from_at < a.until::TIMESTAMP
        AND p.to_at > make_timestamp_ns(epoch_ns(a.until) - a.held_ns)::TIMESTAMP
    WHERE p.usd_per_hour IS NOT NULL
    GROUP BY ALL
)
SELECT
    a.quarter::TIMESTAMP AS quarter,
    a.until::TIMESTAMP AS until,
    a.instance,
    a.dp_index,
    a.boot,
    i.model,
    i.model_version,
    i.gpu_type,
    i.deployment,
    i.namespace,
    i.cluster,
    i.region,
    i.node,
    i.pod,
    i.engine,
    i.engine_version,
    a.gpus_ppm,
    a.held_ns,
    a.startup_ns,
    a.busy_ns,
    a.idle_ns,
    a.down_ns,
    a.unattributed_ns,
    p.priced_ns,
    p.usd,
    v1.picodollars_of(p.usd, a.held_ns) AS picodollars,
    v1.usd_between(p.usd, 0, a.busy_ns, a.held_ns) AS busy_usd,
    v1.usd_between(p.usd, a.busy_ns, a.busy_ns + a.startup_ns, a.held_ns) AS startup_usd,
    v1.usd_between(p.usd, a.busy_ns + a.startup_ns, a.busy_ns + a.startup_ns + a.idle_ns, a.held_ns) AS idle_usd,
    v1.usd_between(p.usd, a.held_ns - a.down_ns, a.held_ns, a.held_ns) AS down_usd,
    v1.usd_between(p.usd, a.busy_ns - a.unattributed_ns, a.busy_ns, a.held_ns) AS unattributed_usd,
    a.method,
    a.fit,
    a.commit
FROM main.allocations a
LEFT JOIN priced p USING (instance, dp_index, boot, quarter)
LEFT JOIN v1.instances i ON i.instance = a.instance AND i.boot = a.boot;
