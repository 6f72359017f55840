-- Migrations, and who this warehouse is.

-- name: create_migrations
CREATE TABLE IF NOT EXISTS migrations (
    number BIGINT,
    name VARCHAR,
    "at" TIMESTAMP
)

-- name: last_migration
SELECT coalesce(max(number), 0) FROM migrations

-- name: insert_migration
INSERT INTO migrations
VALUES ($1, $2, make_timestamp($3))

-- name: set_meta
INSERT INTO meta
SELECT $1, $2
WHERE NOT EXISTS (FROM meta WHERE key = $1)

-- name: update_meta
UPDATE meta SET value = $2 WHERE key = $1

-- name: get_meta
SELECT value FROM meta WHERE key = $1

-- name: new_id
SELECT CAST(uuid() AS VARCHAR)

-- name: schema_v1
CREATE SCHEMA IF NOT EXISTS v1

-- name: library_version
SELECT version()

-- name: warehouse_id
SELECT value FROM meta WHERE key = 'warehouse_id'
