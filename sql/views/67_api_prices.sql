-- One row a price of an API's model: USD for a million tokens, for prompts of more than above_tokens tokens, from valid_from to
-- valid_to, or to the next price of that model and service tier (NULL: still). rule says whether it is for the whole prompt or for
-- what lies beyond. A service_tier of NULL is the standard one; a price of NULL is no price.
CREATE OR REPLACE VIEW v1.api_prices AS
WITH told AS (
    SELECT *, dense_rank() OVER (PARTITION BY provider, model, service_tier, valid_from ORDER BY version DESC, source DESC) AS place
    FROM main.api_prices
    WHERE replaced IS NULL
),
times AS (
    SELECT provider, model, service_tier, valid_from, lead(valid_from) OVER (PARTITION BY provider, model, service_tier ORDER BY valid_from) AS next_from
    FROM (SELECT DISTINCT provider, model, service_tier, valid_from FROM told)
)
SELECT
    t.provider,
    t.model,
    t.service_tier,
    t.above_tokens,
    t.rule,
    t.valid_from,
    least(t.valid_to, n.next_from) AS valid_to,
    t.input_usd_per_million,
    t.cached_usd_per_million,
    t.cache_write_5m_usd_per_million,
    t.cache_write_1h_usd_per_million,
    t.output_usd_per_million,
    t.source,
    t.version
FROM told t
JOIN times n
    ON n.provider = t.provider AND n.model = t.model AND n.service_tier IS NOT DISTINCT FROM t.service_tier AND n.valid_from = t.valid_from
WHERE t.place = 1;
