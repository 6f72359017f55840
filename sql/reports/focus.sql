-- FOCUS charges
--
-- The cost of GPUs as rows of FOCUS (1.2 columns, and the split cost allocation of 1.3), which inferlake export focus writes to a file.
-- An origin row is what the GPUs of an instance's boot cost in an hour at one price; its allocated rows split it by who used them and
-- in which phase, and by startup, idle, down and what no request accounts for: every summable column of them adds up to the origin's,
-- so count either the ones or the others (AllocatedMethodId is empty on origins). What has no price is not in it (report unpriced);
-- x_Completeness is the share of GPU time that is. Billed is what costs are made of (inferlake prices use).
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param by VARCHAR = model {model, tenant}: Who a used row is allocated to: the model and version of the requests, or their tenant.
-- param rows VARCHAR = all {all, origin, allocated}: Which rows.
-- param account VARCHAR = inferlake: BillingAccountId and its name.
-- param provider VARCHAR = own: ProviderName, PublisherName and InvoiceIssuerName.
--
-- horizon settled
-- layer cost
WITH span AS (
    FROM v1.cost_span($from, $to)
),
held AS (
    SELECT a.*
    FROM v1.allocations a, span s
    WHERE a.quarter >= s.since
        AND a.quarter < s.until
        AND a.held_ns > 0
        AND a.gpus_ppm > 0
),
completeness AS (
    SELECT CAST(
        (sum(coalesce(priced_ns, 0)::HUGEINT * gpus_ppm) * 1000000 // sum(held_ns::HUGEINT * gpus_ppm))::DECIMAL(12, 0) * 0.000001::DECIMAL(6, 6)
        AS DECIMAL(18, 6)
    ) AS priced
    FROM held
),
pieces AS (
    SELECT
        p.*,
        date_trunc('hour', p.quarter) AS hour,
        h.held_ns,
        -- Where one price holds for all of the quarter, time counts as it is; else in proportion.
        CASE WHEN p.priced_ns = h.held_ns THEN 1 ELSE p.priced_ns END AS part,
        CASE WHEN p.priced_ns = h.held_ns THEN 1 ELSE h.held_ns END AS of_parts,
        h.startup_ns, h.idle_ns, h.down_ns, h.unattributed_ns, h.busy_ns, h.method
    FROM v1.allocation_prices p
    JOIN held h
        ON h.instance = p.instance AND h.dp_index = p.dp_index AND h.boot IS NOT DISTINCT FROM p.boot AND h.quarter = p.quarter
    WHERE p.gpus_ppm > 0
),
priced AS (
    SELECT
        min(from_at) AS since,
        hour, instance, boot,
        list_usd_per_hour, contracted_usd_per_hour, effective_usd_per_hour, usd_per_hour, kind, price_key, price_source, price_version,
        gpu_type, node, region, deployment, namespace, cluster, model, model_version,
        v1.picodollars(sum(usd)) AS billed,
        v1.picodollars(sum(list_usd)) AS listed,
        v1.picodollars(sum(contracted_usd)) AS contracted,
        v1.picodollars(sum(effective_usd)) AS effective,
        sum(priced_ns::HUGEINT * gpus_ppm)::HUGEINT AS gpu_ppm_ns
    FROM pieces
    GROUP BY ALL
),
origins AS (
    SELECT
        * EXCLUDE (since),
        row_number() OVER (ORDER BY hour, instance, boot, since) AS origin,
        row_number() OVER (PARTITION BY hour, instance, boot ORDER BY since) AS nth
    FROM priced
),
numbered AS (
    SELECT p.instance, p.dp_index, p.boot, p.quarter, p.part, p.of_parts, p.gpus_ppm, p.startup_ns, p.idle_ns, p.down_ns, p.unattributed_ns, p.method, o.origin
    FROM pieces p
    JOIN origins o
        ON o.instance = p.instance AND o.boot IS NOT DISTINCT FROM p.boot AND o.hour = p.hour
        AND o.list_usd_per_hour IS NOT DISTINCT FROM p.list_usd_per_hour
        AND o.contracted_usd_per_hour IS NOT DISTINCT FROM p.contracted_usd_per_hour
        AND o.effective_usd_per_hour IS NOT DISTINCT FROM p.effective_usd_per_hour
        AND o.usd_per_hour = p.usd_per_hour AND o.kind IS NOT DISTINCT FROM p.kind AND o.price_key IS NOT DISTINCT FROM p.price_key
        AND o.price_source IS NOT DISTINCT FROM p.price_source AND o.price_version IS NOT DISTINCT FROM p.price_version
),
states AS (
    SELECT
        n.origin,
        unnest([
            {'place': 3, 'state': 'unattributed', 'ns': n.unattributed_ns}, {'place': 4, 'state': 'startup', 'ns': n.startup_ns},
            {'place': 5, 'state': 'idle', 'ns': n.idle_ns}, {'place': 6, 'state': 'down', 'ns': n.down_ns}
        ]) AS s,
        n.gpus_ppm, n.part, n.of_parts, n.method
    FROM numbered n
),
phases AS (
    SELECT
        n.origin,
        CASE WHEN $by = 'tenant' THEN NULL ELSE c.model END AS model,
        CASE WHEN $by = 'tenant' THEN NULL ELSE c.model_version END AS model_version,
        CASE WHEN $by = 'tenant' THEN c.tenant END AS tenant,
        unnest([
            {
                'place': 1, 'phase': 'prefill', 'ns': c.prefill_ns + c.cached_ns, 'requests': 0, 'uncached': c.uncached_tokens,
                'cached': c.cached_tokens, 'output': 0
            },
            {'place': 2, 'phase': 'decode', 'ns': c.decode_ns, 'requests': c.requests, 'uncached': 0, 'cached': 0, 'output': c.output_tokens}
        ]) AS s,
        -- Tokens and requests count once, in the piece of the first price.
        row_number() OVER (PARTITION BY c.quarter, c.instance, c.dp_index, c.boot, c.model, c.model_version, c.adapter, c.request_class, c.tenant,
            c.outcome, c.probe, c.retry ORDER BY n.origin) = 1 AS counts,
        n.gpus_ppm, n.part, n.of_parts, n.method
    FROM numbered n
    JOIN v1.charges c
        ON c.instance = n.instance AND c.dp_index = n.dp_index AND c.boot IS NOT DISTINCT FROM n.boot AND c.quarter = n.quarter
),
lines AS (
    SELECT
        origin, s.place AS place, 'used' AS state, s.phase AS phase, model, model_version, tenant,
        sum(s.ns::HUGEINT * gpus_ppm * part // of_parts)::HUGEINT AS weight,
        sum(CASE WHEN counts THEN s.requests ELSE 0 END)::BIGINT AS requests,
        sum(CASE WHEN counts THEN s.uncached ELSE 0 END)::BIGINT AS uncached_tokens,
        sum(CASE WHEN counts THEN s.cached ELSE 0 END)::BIGINT AS cached_tokens,
        sum(CASE WHEN counts THEN s.output ELSE 0 END)::BIGINT AS output_tokens,
        min(method) AS method
    FROM phases
    GROUP BY ALL
    UNION ALL
    SELECT
        origin, s.place, s.state, NULL, NULL, NULL, NULL,
        sum(s.ns::HUGEINT * gpus_ppm * part // of_parts)::HUGEINT,
        0, 0, 0, 0,
        min(method)
    FROM states
    GROUP BY ALL
),
placed AS (
    SELECT
        *,
        sum(weight) OVER of_origin AS until,
        sum(weight) OVER (PARTITION BY origin) AS whole,
        row_number() OVER of_origin AS line
    FROM lines
    WHERE weight > 0
    WINDOW of_origin AS (PARTITION BY origin ORDER BY place, model NULLS LAST, model_version NULLS LAST, tenant NULLS LAST ROWS UNBOUNDED PRECEDING)
),
rows_of AS (
    SELECT origin, 0 AS line, 0::HUGEINT AS since, 1::HUGEINT AS until, 1::HUGEINT AS whole, NULL AS state, NULL AS phase, NULL AS model,
        NULL AS model_version, NULL AS tenant, NULL::BIGINT AS requests, NULL::BIGINT AS uncached_tokens, NULL::BIGINT AS cached_tokens,
        NULL::BIGINT AS output_tokens, NULL AS method, NULL::HUGEINT AS weight
    FROM origins
    WHERE $rows <> 'allocated'
    UNION ALL
    SELECT origin, line, (until - weight)::HUGEINT, until::HUGEINT, whole::HUGEINT, state, phase, model, model_version, tenant, requests, uncached_tokens,
        cached_tokens, output_tokens, method, weight
    FROM placed
    WHERE $rows <> 'origin'
),
charges AS (
    SELECT
        o.* EXCLUDE (model, model_version),
        o.model AS served_model,
        o.model_version AS served_version,
        r.* EXCLUDE (origin),
        r.line > 0 AS allocated,
        -- Quantities have 15 decimals: a GPU-hour is 3.6e18 of millionths of a GPU for a nanosecond.
        (v1.part_between((o.gpu_ppm_ns + 1800) // 3600, r.since, r.until, r.whole))::DECIMAL(23, 0) * 0.000000000000001::DECIMAL(15, 15) AS hours,
        json_merge_patch('{}', json_object(
            'deployment', o.deployment, 'namespace', o.namespace, 'cluster', o.cluster, 'node', o.node, 'served_model', o.model,
            'served_version', o.model_version
        ))::VARCHAR AS tags
    FROM rows_of r
    JOIN origins o USING (origin)
)
SELECT
    v1.usd_of(v1.part_between(billed, since, until, whole)) AS "BilledCost",
    $account::VARCHAR AS "BillingAccountId",
    $account::VARCHAR AS "BillingAccountName",
    'USD' AS "BillingCurrency",
    strftime(date_trunc('month', hour), '%Y-%m-%dT%H:%M:%SZ') AS "BillingPeriodStart",
    strftime(date_trunc('month', hour) + INTERVAL 1 MONTH, '%Y-%m-%dT%H:%M:%SZ') AS "BillingPeriodEnd",
    'Usage' AS "ChargeCategory",
    NULL::VARCHAR AS "ChargeClass",
    concat_ws(' ', 'GPU time of', instance, 'on', gpu_type) AS "ChargeDescription",
    'Usage-Based' AS "ChargeFrequency",
    strftime(hour, '%Y-%m-%dT%H:%M:%SZ') AS "ChargePeriodStart",
    strftime(hour + INTERVAL 1 HOUR, '%Y-%m-%dT%H:%M:%SZ') AS "ChargePeriodEnd",
    hours AS "ConsumedQuantity",
    'GPU-Hours' AS "ConsumedUnit",
    v1.usd_of(v1.part_between(coalesce(contracted, billed), since, until, whole)) AS "ContractedCost",
    coalesce(contracted_usd_per_hour, usd_per_hour) AS "ContractedUnitPrice",
    v1.usd_of(v1.part_between(coalesce(effective, billed), since, until, whole)) AS "EffectiveCost",
    $provider::VARCHAR AS "InvoiceIssuerName",
    v1.usd_of(v1.part_between(coalesce(listed, billed), since, until, whole)) AS "ListCost",
    coalesce(list_usd_per_hour, usd_per_hour) AS "ListUnitPrice",
    CASE kind WHEN 'spot' THEN 'Dynamic' WHEN 'reserved' THEN 'Committed' WHEN 'on_prem' THEN 'Other' ELSE 'Standard' END AS "PricingCategory",
    hours AS "PricingQuantity",
    'GPU-Hours' AS "PricingUnit",
    $provider::VARCHAR AS "ProviderName",
    $provider::VARCHAR AS "PublisherName",
    region AS "RegionId",
    region AS "RegionName",
    instance AS "ResourceId",
    instance AS "ResourceName",
    'GPU instance' AS "ResourceType",
    'AI and Machine Learning' AS "ServiceCategory",
    'LLM inference' AS "ServiceName",
    coalesce(gpu_type, 'GPU') AS "SkuId",
    'GPU time' AS "SkuMeter",
    concat_ws('/', coalesce(price_key, gpu_type, 'GPU'), coalesce(kind, 'any')) AS "SkuPriceId",
    json_merge_patch('{}', json_object('x_GpuType', gpu_type, 'x_Kind', kind, 'x_PriceKey', price_key))::VARCHAR AS "SkuPriceDetails",
    namespace AS "SubAccountId",
    namespace AS "SubAccountName",
    tags AS "Tags",
    CASE WHEN allocated THEN concat('llm-', replace(coalesce(method, 'held'), '_', '-'), '/1') END AS "AllocatedMethodId",
    -- Written out: numbers in JSON of DuckDB's go through DOUBLE.
    CASE WHEN allocated THEN concat(
        '{"Elements":[{"AllocatedRatio":', v1.usd_of(v1.part_between(1000000000000, since, until, whole)),
        ',"UsageUnit":"GPU-Seconds","UsageQuantity":', weight::DECIMAL(22, 0) * 0.000000000000001::DECIMAL(15, 15),
        '}],"x_State":', to_json(state), ',"x_Phase":', coalesce(to_json(phase)::VARCHAR, 'null'),
        ',"x_CostMethod":', coalesce(to_json(method)::VARCHAR, 'null'), '}'
    ) END AS "AllocatedMethodDetails",
    -- What no request accounts for is the unallocated part: it is nobody's.
    CASE
        WHEN state = 'used' AND $by = 'tenant' THEN coalesce(tenant, 'unknown')
        WHEN state = 'used' THEN coalesce(v1.pair(model, '@', model_version), 'unknown')
        WHEN state <> 'unattributed' THEN coalesce(v1.pair(served_model, '@', served_version), instance)
    END AS "AllocatedResourceId",
    CASE
        WHEN state = 'used' AND $by = 'tenant' THEN coalesce(tenant, 'unknown')
        WHEN state = 'used' THEN coalesce(model, 'unknown')
        WHEN state <> 'unattributed' THEN coalesce(served_model, instance)
    END AS "AllocatedResourceName",
    CASE WHEN allocated THEN json_merge_patch(tags::JSON, json_object(
        'model', model, 'version', model_version, 'tenant', tenant, 'phase', phase, 'state', state
    ))::VARCHAR END AS "AllocatedTags",
    concat_ws('/', strftime(hour, '%Y-%m-%dT%HZ'), instance, boot, nth) AS "x_OriginId",
    CASE WHEN allocated THEN 'allocated' ELSE 'origin' END AS "x_RowKind",
    state AS "x_State",
    phase AS "x_Phase",
    requests AS "x_Requests",
    uncached_tokens AS "x_InputTokensUncached",
    cached_tokens AS "x_InputTokensCached",
    output_tokens AS "x_OutputTokens",
    (weight::DECIMAL(22, 0) * 0.000000000000001::DECIMAL(15, 15)) AS "x_GpuSeconds",
    'allocation' AS "x_CostBasis",
    method AS "x_CostMethod",
    price_source AS "x_PriceSource",
    price_version AS "x_PriceVersion",
    c.priced AS "x_Completeness"
FROM charges, completeness c
ORDER BY hour, instance, boot, origin, line;
