-- One row a request's leg and model of an API that it is compared with: what its tokens would have cost there, by the price of the day
-- on which it ended and its own service tier. The API's model is the one of the same name, or the one named for it (compare:, in the
-- price list). usd is exact to the picodollar; NULL where anything of it has no price, for the reason given.
CREATE OR REPLACE VIEW v1.api_costs AS
WITH counted AS (
    SELECT
        r.request_id,
        r.instance,
        coalesce(r.instance_model, r.model) AS served_model,
        r.model,
        r.model_version,
        r.tenant,
        r.request_class,
        r.service_tier,
        r.outcome,
        r.finished_at,
        CASE WHEN coalesce(r.choice, 0) = 0 AND r.role IS NOT DISTINCT FROM l.prompt_role THEN r.prompt_tokens ELSE 0 END AS prompt,
        CASE WHEN r.role IS NOT DISTINCT FROM l.output_role THEN r.output_tokens ELSE 0 END AS output,
        r.prompt_tokens,
        coalesce(r.cached_tokens, 0) AS cached,
        coalesce(r.cache_write_5m_tokens, 0) AS write_5m,
        coalesce(r.cache_write_1h_tokens, 0) AS write_1h,
        (r.topic, r.partition, r.lineage, r."offset", r.idx) AS place
    FROM v1.requests r
    JOIN v1.legs l
        ON l.deployment IS NOT DISTINCT FROM r.deployment AND l.model IS NOT DISTINCT FROM r.model AND l.role IS NOT DISTINCT FROM r.role
    WHERE r.role IS NOT DISTINCT FROM l.prompt_role OR r.role IS NOT DISTINCT FROM l.output_role
),
-- A prompt is read from the cache first, then written to it, then computed: the ends of its parts.
placed AS (
    SELECT
        *,
        least(cached, prompt) AS cached_until,
        least(cached::HUGEINT + write_5m, prompt)::BIGINT AS write_5m_until,
        least(cached::HUGEINT + write_5m + write_1h, prompt)::BIGINT AS write_1h_until
    FROM counted
),
partners AS (
    SELECT model, provider, api_model FROM main.api_counterparts
    UNION
    SELECT DISTINCT model, provider, model FROM v1.api_prices
),
ladders AS (
    SELECT
        provider, model, service_tier, valid_from, valid_to, max(rule) AS rule,
        list({
            above: above_tokens, input: v1.picodollars(input_usd_per_million),
            cached: v1.picodollars(coalesce(cached_usd_per_million, input_usd_per_million)),
            write_5m: v1.picodollars(coalesce(cache_write_5m_usd_per_million, input_usd_per_million)),
            write_1h: v1.picodollars(coalesce(cache_write_1h_usd_per_million, cache_write_5m_usd_per_million, input_usd_per_million)),
            output: v1.picodollars(output_usd_per_million), until: until
        } ORDER BY above_tokens) AS tiers
    FROM (
        SELECT *, lead(above_tokens) OVER (PARTITION BY provider, model, service_tier, valid_from ORDER BY above_tokens) AS until
        FROM v1.api_prices
    )
    GROUP BY provider, model, service_tier, valid_from, valid_to
),
matched AS (
    SELECT
        r.*,
        p.provider,
        p.api_model,
        l.rule,
        unnest(coalesce(l.tiers, [NULL])) AS tier
    FROM placed r
    LEFT JOIN partners p ON p.model = r.served_model
    LEFT JOIN ladders l
        ON l.provider = p.provider AND l.model = p.api_model AND l.service_tier IS NOT DISTINCT FROM v1.paid_tier(r.service_tier)
        AND l.valid_from <= r.finished_at AND coalesce(l.valid_to, 'infinity'::TIMESTAMP) > r.finished_at
),
-- From which token until which one a tier's prices hold.
tiered AS (
    SELECT
        *,
        CASE WHEN rule = 'marginal' THEN tier.above ELSE 0 END AS low,
        CASE WHEN rule = 'marginal' THEN coalesce(tier.until, 9223372036854775807) WHEN chosen THEN 9223372036854775807 ELSE 0 END AS high
    FROM (SELECT *, coalesce(prompt_tokens, 0) > tier.above - (tier.above = 0)::BIGINT AND coalesce(prompt_tokens <= tier.until, TRUE) AS chosen FROM matched)
),
split AS (
    SELECT
        *,
        v1.tokens_in(0, cached_until, low, high) AS cached_here,
        v1.tokens_in(cached_until, write_5m_until, low, high) AS write_5m_here,
        v1.tokens_in(write_5m_until, write_1h_until, low, high) AS write_1h_here,
        v1.tokens_in(write_1h_until, prompt, low, high) AS input_here,
        v1.tokens_in(0, output, low, high) AS output_here
    FROM tiered
),
summed AS (
    SELECT
        request_id, instance, served_model, model, model_version, tenant, request_class, service_tier, outcome, finished_at, provider, api_model,
        prompt - write_1h_until AS input_tokens,
        cached_until AS cached_tokens,
        write_5m_until - cached_until AS cache_write_5m_tokens,
        write_1h_until - write_5m_until AS cache_write_1h_tokens,
        output AS output_tokens,
        bool_or(tier IS NOT NULL) AS priced,
        bool_or(tier.input IS NULL AND input_here > 0) AS no_input,
        bool_or(tier.cached IS NULL AND cached_here > 0 OR tier.write_5m IS NULL AND write_5m_here > 0 OR tier.write_1h IS NULL AND write_1h_here > 0)
            AS no_cached,
        bool_or(tier.output IS NULL AND output_here > 0) AS no_output,
        sum(
            coalesce(input_here * tier.input, 0) + coalesce(cached_here * tier.cached, 0) + coalesce(write_5m_here * tier.write_5m, 0)
            + coalesce(write_1h_here * tier.write_1h, 0) + coalesce(output_here * tier.output, 0)
        ) AS micro_picodollars
    FROM split
    GROUP BY request_id, instance, served_model, model, model_version, tenant, request_class, service_tier, outcome, finished_at, provider, api_model,
        prompt, output, cached_until, write_5m_until, write_1h_until, place
)
SELECT
    * EXCLUDE (priced, no_input, no_cached, no_output, micro_picodollars, reason),
    CASE
        WHEN reason IS NULL THEN v1.usd_of((micro_picodollars::HUGEINT + 500000) // 1000000)
    END AS usd,
    reason
FROM (
    SELECT
        *,
        CASE
            WHEN served_model IS NULL THEN 'no model'
            WHEN provider IS NULL THEN 'no price'
            WHEN NOT priced AND v1.paid_tier(service_tier) IS NOT NULL THEN 'no price of the service tier'
            WHEN NOT priced THEN 'no price at the time'
            WHEN input_tokens IS NULL OR output_tokens IS NULL THEN 'tokens unknown'
            WHEN no_input OR no_cached THEN 'no input price'
            WHEN no_output THEN 'no output price'
        END AS reason
    FROM summed
);
