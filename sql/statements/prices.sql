-- Prices. "" in a list is no value, 0 no time.

-- name: replace_prices
UPDATE prices SET replaced = $2 WHERE source = $1 AND replaced IS NULL

-- name: insert_prices
INSERT INTO prices BY NAME
SELECT
    nullif(unnest($1::VARCHAR[]), '') AS gpu_type,
    make_timestamp(unnest($2::BIGINT[])) AS valid_from,
    make_timestamp(nullif(unnest($3::BIGINT[]), 0)) AS valid_to,
    CAST(unnest($4::VARCHAR[]) AS DECIMAL(38, 12)) AS usd_per_hour,
    nullif(unnest($5::VARCHAR[]), '') AS price_key,
    nullif(unnest($6::VARCHAR[]), '') AS node,
    nullif(unnest($7::VARCHAR[]), '') AS region,
    nullif(unnest($8::VARCHAR[]), '') AS kind,
    nullif(unnest($9::VARCHAR[]), '') AS variant,
    nullif(unnest($10::VARCHAR[]), '') AS method,
    $11::VARCHAR AS source,
    $12::BIGINT AS version

-- name: prices_of
SELECT coalesce(gpu_type, ''), epoch_us(valid_from), coalesce(epoch_us(valid_to), 0), usd_per_hour::VARCHAR, coalesce(price_key, ''), coalesce(node, ''),
    coalesce(region, ''), coalesce(kind, ''), coalesce(variant, ''), coalesce(method, '')
FROM prices
WHERE source = $1 AND replaced IS NULL
ORDER BY rowid

-- name: delete_price_setting
DELETE FROM price_settings WHERE key = $1

-- name: insert_price_setting
INSERT INTO price_settings VALUES ($1, $2)

-- name: measured_watts
SELECT CAST(sum(energy_millijoules) * 1000000 / sum(observed_ns) AS DECIMAL(18, 3))
FROM v1.device_energy
WHERE level_seconds = 60
    AND energy_millijoules IS NOT NULL
    AND observed_ns > 0
    AND ($gpu_type::VARCHAR = '' OR gpu_type = $gpu_type::VARCHAR)
    AND ($node::VARCHAR = '' OR node = $node::VARCHAR)
    AND window_start >= $from::TIMESTAMP
    AND window_start < $to::TIMESTAMP

-- name: replace_api_prices
UPDATE api_prices SET replaced = $2 WHERE source = $1 AND replaced IS NULL

-- name: insert_api_prices
INSERT INTO api_prices BY NAME
SELECT
    unnest($1::VARCHAR[]) AS provider,
    unnest($2::VARCHAR[]) AS model,
    nullif(unnest($3::VARCHAR[]), '') AS service_tier,
    unnest($4::BIGINT[]) AS above_tokens,
    nullif(unnest($5::VARCHAR[]), '') AS rule,
    make_timestamp(unnest($6::BIGINT[])) AS valid_from,
    make_timestamp(nullif(unnest($7::BIGINT[]), 0)) AS valid_to,
    CAST(nullif(unnest($8::VARCHAR[]), '') AS DECIMAL(38, 12)) AS input_usd_per_million,
    CAST(nullif(unnest($9::VARCHAR[]), '') AS DECIMAL(38, 12)) AS cached_usd_per_million,
    CAST(nullif(unnest($10::VARCHAR[]), '') AS DECIMAL(38, 12)) AS cache_write_5m_usd_per_million,
    CAST(nullif(unnest($11::VARCHAR[]), '') AS DECIMAL(38, 12)) AS cache_write_1h_usd_per_million,
    CAST(nullif(unnest($12::VARCHAR[]), '') AS DECIMAL(38, 12)) AS output_usd_per_million,
    $13::VARCHAR AS source,
    $14::BIGINT AS version

-- name: delete_api_counterparts
DELETE FROM api_counterparts WHERE source = $1

-- name: insert_api_counterpart
INSERT INTO api_counterparts VALUES ($1, $2, $3, $4)
