-- The price list, replaced whole.

-- name: delete_prices
DELETE FROM prices

-- name: insert_price
INSERT INTO prices (gpu_type, valid_from, usd_per_hour) VALUES (?, ?, CAST(?::VARCHAR AS DECIMAL(38, 12)))
