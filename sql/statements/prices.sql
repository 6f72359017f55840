-- Prices.

-- name: delete_prices
DELETE FROM prices

-- name: insert_prices
INSERT INTO prices
SELECT unnest($1::VARCHAR[]), make_timestamp(unnest($2::BIGINT[])), make_timestamp(nullif(unnest($3::BIGINT[]), 0)),
    CAST(unnest($4::VARCHAR[]) AS DECIMAL(38, 12))
