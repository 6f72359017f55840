-- Prices of APIs
--
-- What APIs ask for a million tokens, from when to when, and who said it: for all prompts, and for those of more than above_tokens
-- tokens. Tokens without a price of their own cost what input costs.
--
-- unit input_usd_per_million, cached_usd_per_million, cache_write_5m_usd_per_million, cache_write_1h_usd_per_million, output_usd_per_million: USD/1M
-- optional version, valid_to, cache_write_1h_usd_per_million, cache_write_5m_usd_per_million
-- layer cost
SELECT
    provider,
    model,
    service_tier,
    above_tokens,
    rule,
    input_usd_per_million,
    cached_usd_per_million,
    cache_write_5m_usd_per_million,
    cache_write_1h_usd_per_million,
    output_usd_per_million,
    valid_from,
    valid_to,
    source,
    version
FROM v1.api_prices
ORDER BY provider, model, service_tier NULLS FIRST, above_tokens, valid_from;
