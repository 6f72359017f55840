-- One row a boot of an instance and price period: GPUs that were held, and what a GPU-hour cost: list, contracted and effective, each
-- the closest price for that instance (docs/cost.md), and usd_per_hour the one that costs are made of. NULL where no price is known.
-- An instance without an end counts up to v1.horizon.
CREATE OR REPLACE VIEW v1.instance_prices AS
WITH held AS (
    SELECT
        i.* EXCLUDE (to_at),
        coalesce(i.to_at, h.complete_through) AS to_at,
        v1.bought_as(i.price_key) AS kind
    FROM v1.instances i, v1.horizon h
    -- A gateway has no GPUs to count; an engine that does not say its GPUs stays, with unknown GPU-hours.
    WHERE i.gpus_ppm IS NOT NULL OR coalesce(i.role, '') NOT IN ('gateway', 'client')
),
lasting AS MATERIALIZED (
    FROM held WHERE from_at < to_at
),
fitting AS (
    SELECT
        i.instance,
        i.boot,
        p.variant,
        greatest(p.valid_from, i.from_at) AS since,
        least(coalesce(p.valid_to, 'infinity'::TIMESTAMP), i.to_at) AS until,
        v1.price_fit(
            p.price_key, p.node, p.region, p.gpu_type, p.kind, v1.price_key_of(i.price_key), i.node, i.region, i.gpu_type, i.kind
        ) AS fit,
        {
            usd: p.usd_per_hour, kind: p.kind, price_key: coalesce(p.price_key, p.gpu_type, p.node, p.region), version: p.version,
            source: p.source
        } AS price
    FROM lasting i
    JOIN v1.prices p ON p.valid_from < i.to_at AND coalesce(p.valid_to, 'infinity'::TIMESTAMP) > i.from_at
),
offers AS MATERIALIZED (
    FROM fitting WHERE fit IS NOT NULL AND since < until
),
-- Times without a price, before, between and after the price list's rows, are periods too: unpriced, not free.
cuts AS (
    SELECT instance, boot, from_at AS since FROM lasting
    UNION
    SELECT instance, boot, since FROM offers
    UNION
    SELECT instance, boot, until FROM offers
),
pieces AS (
    SELECT c.instance, c.boot, c.since, lead(c.since, 1, i.to_at) OVER (PARTITION BY c.instance, c.boot ORDER BY c.since) AS until
    FROM cuts c
    JOIN lasting i ON i.instance = c.instance AND i.boot IS NOT DISTINCT FROM c.boot
),
chosen AS (
    SELECT
        p.instance,
        p.boot,
        p.since,
        p.until,
        arg_max(o.price, (o.fit, coalesce(o.price.version, 0))) FILTER (o.variant = 'list') AS list,
        arg_max(o.price, (o.fit, coalesce(o.price.version, 0))) FILTER (o.variant = 'contracted') AS contracted,
        arg_max(o.price, (o.fit, coalesce(o.price.version, 0))) FILTER (o.variant = 'effective') AS effective
    FROM pieces p
    LEFT JOIN offers o
        ON o.instance = p.instance AND o.boot IS NOT DISTINCT FROM p.boot AND o.since <= p.since AND o.until >= p.until
    WHERE p.since < p.until
    GROUP BY ALL
),
-- Pieces of one price are one period: cuts would round what lies between them.
marked AS (
    SELECT
        *,
        (list, contracted, effective) IS DISTINCT FROM lag((list, contracted, effective)) OVER of_boot
            OR row_number() OVER of_boot = 1 AS begins
    FROM chosen
    WINDOW of_boot AS (PARTITION BY instance, boot ORDER BY since)
),
periods AS (
    SELECT instance, boot, list, contracted, effective, min(since) AS from_at, max(until) AS to_at
    FROM (SELECT *, count(*) FILTER (begins) OVER (PARTITION BY instance, boot ORDER BY since) AS period FROM marked)
    GROUP BY instance, boot, period, list, contracted, effective
),
choice AS (
    SELECT max(value) AS variant FROM main.price_settings WHERE key = 'price_variant'
)
SELECT
    i.instance,
    i.boot,
    i.role,
    p.from_at,
    p.to_at,
    i.gpus_ppm,
    -- No GPU costs nothing, whatever the price.
    CASE
        WHEN i.gpus_ppm = 0 THEN 0::DECIMAL(38, 12)
        ELSE v1.chosen_price(c.variant, p.list.usd, p.contracted.usd, p.effective.usd)
    END AS usd_per_hour,
    coalesce(v1.chosen_price(c.variant, p.list, p.contracted, p.effective).price_key, i.price_key, i.gpu_type) AS price_key,
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
    i.region,
    p.list.usd AS list_usd_per_hour,
    coalesce(p.contracted.usd, p.list.usd) AS contracted_usd_per_hour,
    coalesce(p.effective.usd, p.contracted.usd, p.list.usd) AS effective_usd_per_hour,
    coalesce(i.kind, v1.chosen_price(c.variant, p.list, p.contracted, p.effective).kind) AS kind,
    v1.chosen_price(c.variant, p.list, p.contracted, p.effective).source AS price_source,
    v1.chosen_price(c.variant, p.list, p.contracted, p.effective).version AS price_version
FROM periods p
JOIN lasting i ON i.instance = p.instance AND i.boot IS NOT DISTINCT FROM p.boot
CROSS JOIN choice c;
