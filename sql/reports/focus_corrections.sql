-- FOCUS corrections
--
-- What a sealed period costs now less what it cost as it was published, as rows of FOCUS of ChargeClass Correction: one an instance's
-- boot and hour whose cost changed, by other prices or by what came late. Added to the rows that were exported at the seal they are
-- what is there now. Read it as of the seal: export focus --corrections NAME.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; of the sealed period where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; of the sealed period where not given.
-- param account VARCHAR = inferlake: BillingAccountId and its name.
-- param provider VARCHAR = own: ProviderName, PublisherName and InvoiceIssuerName.
--
-- layer cost
WITH both_times AS (
    SELECT -1 AS sign, * FROM v1.allocation_prices
    UNION ALL BY NAME
    SELECT 1 AS sign, * FROM now.allocation_prices
),
changed AS (
    SELECT
        date_trunc('hour', quarter) AS hour,
        instance,
        boot,
        max(gpu_type) AS gpu_type,
        max(region) AS region,
        max(namespace) AS namespace,
        sum(sign * usd) AS billed,
        sum(sign * coalesce(contracted_usd, usd)) AS contracted,
        sum(sign * coalesce(effective_usd, usd)) AS effective,
        sum(sign * coalesce(list_usd, usd)) AS listed
    FROM both_times
    WHERE quarter >= coalesce(v1.quarter_of($from::TIMESTAMP), quarter)
        AND quarter < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
    GROUP BY ALL
    HAVING billed <> 0 OR contracted <> 0 OR effective <> 0 OR listed <> 0
)
SELECT
    billed AS "BilledCost",
    $account::VARCHAR AS "BillingAccountId",
    $account::VARCHAR AS "BillingAccountName",
    'USD' AS "BillingCurrency",
    strftime(date_trunc('month', hour), '%Y-%m-%dT%H:%M:%SZ') AS "BillingPeriodStart",
    strftime(date_trunc('month', hour) + INTERVAL 1 MONTH, '%Y-%m-%dT%H:%M:%SZ') AS "BillingPeriodEnd",
    'Usage' AS "ChargeCategory",
    'Correction' AS "ChargeClass",
    concat_ws(' ', 'Correction of the GPU time of', instance, 'on', gpu_type) AS "ChargeDescription",
    strftime(hour, '%Y-%m-%dT%H:%M:%SZ') AS "ChargePeriodStart",
    strftime(hour + INTERVAL 1 HOUR, '%Y-%m-%dT%H:%M:%SZ') AS "ChargePeriodEnd",
    contracted AS "ContractedCost",
    effective AS "EffectiveCost",
    $provider::VARCHAR AS "InvoiceIssuerName",
    listed AS "ListCost",
    NULL::DECIMAL(38, 15) AS "PricingQuantity",
    NULL::VARCHAR AS "PricingUnit",
    $provider::VARCHAR AS "ProviderName",
    $provider::VARCHAR AS "PublisherName",
    region AS "RegionId",
    instance AS "ResourceId",
    'AI and Machine Learning' AS "ServiceCategory",
    'LLM inference' AS "ServiceName",
    namespace AS "SubAccountId",
    concat_ws('/', 'correction', strftime(hour, '%Y-%m-%dT%HZ'), instance, boot) AS "x_OriginId"
FROM changed
ORDER BY hour, instance, boot;
