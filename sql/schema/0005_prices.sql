-- Prices as of a time, each with who said it: of GPUs, and of APIs to compare with.

-- A row is a price of a GPU-hour for what its keys name: an instance's price_key, a node, a region, a GPU type; NULL names all. kind is
-- how it is bought, variant which of three prices it is (list, contracted, effective), version the commit that wrote it, replaced the
-- commit since which another one holds.
ALTER TABLE prices ADD COLUMN price_key VARCHAR;
ALTER TABLE prices ADD COLUMN node VARCHAR;
ALTER TABLE prices ADD COLUMN region VARCHAR;
ALTER TABLE prices ADD COLUMN kind VARCHAR;
ALTER TABLE prices ADD COLUMN variant VARCHAR;
ALTER TABLE prices ADD COLUMN method VARCHAR;
ALTER TABLE prices ADD COLUMN source VARCHAR;
ALTER TABLE prices ADD COLUMN version BIGINT;
ALTER TABLE prices ADD COLUMN replaced BIGINT;

ALTER TABLE sealed_prices ADD COLUMN price_key VARCHAR;
ALTER TABLE sealed_prices ADD COLUMN node VARCHAR;
ALTER TABLE sealed_prices ADD COLUMN region VARCHAR;
ALTER TABLE sealed_prices ADD COLUMN kind VARCHAR;
ALTER TABLE sealed_prices ADD COLUMN variant VARCHAR;
ALTER TABLE sealed_prices ADD COLUMN method VARCHAR;
ALTER TABLE sealed_prices ADD COLUMN source VARCHAR;
ALTER TABLE sealed_prices ADD COLUMN version BIGINT;
ALTER TABLE sealed_prices ADD COLUMN replaced BIGINT;

-- Choices about prices: which variant costs are made of (key price_variant).
CREATE TABLE price_settings (
    key VARCHAR,
    value VARCHAR
);

CREATE TABLE sealed_price_settings AS SELECT ''::VARCHAR AS seal, * FROM price_settings LIMIT 0;

-- What an API asks for a million tokens of a model. The prices hold for prompts of more than above_tokens tokens: for all of such a
-- prompt (rule whole_prompt), or for what of it lies beyond (rule marginal). service_tier NULL is the standard one.
CREATE TABLE api_prices (
    provider VARCHAR,
    model VARCHAR,
    service_tier VARCHAR,
    above_tokens BIGINT,
    rule VARCHAR,
    valid_from TIMESTAMP,
    valid_to TIMESTAMP,
    input_usd_per_million DECIMAL(38, 12),
    cached_usd_per_million DECIMAL(38, 12),
    cache_write_5m_usd_per_million DECIMAL(38, 12),
    cache_write_1h_usd_per_million DECIMAL(38, 12),
    output_usd_per_million DECIMAL(38, 12),
    source VARCHAR,
    version BIGINT,
    replaced BIGINT
);

CREATE TABLE sealed_api_prices AS SELECT ''::VARCHAR AS seal, * FROM api_prices LIMIT 0;

-- Which model of an API a served model is compared with, where the names differ.
CREATE TABLE api_counterparts (
    model VARCHAR,
    provider VARCHAR,
    api_model VARCHAR,
    source VARCHAR
);

CREATE TABLE sealed_api_counterparts AS SELECT ''::VARCHAR AS seal, * FROM api_counterparts LIMIT 0;

UPDATE prices SET source = 'price list', version = 0;

UPDATE sealed_prices SET source = 'price list', version = 0;
