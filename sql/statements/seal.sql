-- Sealing a period, and reading as of a seal: a database of views in memory, named {name}, that shows the warehouse's tables
-- as they were, under the macros and views that are always there.

-- name: insert_seal
INSERT INTO seals VALUES ($1, make_timestamp($2), make_timestamp($3), $4, make_timestamp($5), $6)

-- name: drop_seal
DELETE FROM seals WHERE name = $1

-- name: drop_sealed_copy
DELETE FROM {copy} WHERE seal = $1

-- name: drop_sealed_legs
DELETE FROM sealed_legs WHERE seal = $1

-- name: drop_sealed_anomalies
DELETE FROM sealed_anomalies WHERE seal = $1

-- Rows that no seal shows any longer.
-- name: drop_replaced
DELETE FROM {kept}
WHERE NOT EXISTS (FROM seals WHERE seals.commit >= {kept}.commit AND seals.commit < {kept}.replaced)

-- name: seal_copy
INSERT INTO {copy} SELECT $1, * FROM {table}

-- name: seal_legs
INSERT INTO sealed_legs BY NAME SELECT $1 AS seal, * FROM v1.legs

-- name: seal_anomalies
INSERT INTO sealed_anomalies BY NAME SELECT $1 AS seal, * FROM v1.anomalies

-- name: has_sealed_legs
SELECT count(*) > 0 FROM sealed_legs WHERE seal = $1

-- name: get_seal
SELECT epoch_us(period_from), epoch_us(period_to), hash, commit FROM seals WHERE name = $1

-- name: seal_commits
SELECT DISTINCT commit FROM seals WHERE commit > $1 AND commit < $2 ORDER BY commit

-- name: tables_with_commit
SELECT t.table_name, count(c.column_name) > 0
FROM duckdb_tables() t
LEFT JOIN duckdb_columns() c
    ON c.database_name = t.database_name AND c.schema_name = t.schema_name AND c.table_name = t.table_name AND c.column_name = 'commit'
WHERE t.database_name = current_database() AND t.schema_name = 'main'
GROUP BY t.table_name

-- name: attach_sealed
ATTACH ':memory:' AS {name}

-- name: detach_sealed
DETACH DATABASE IF EXISTS {name}

-- name: sealed_rows
CREATE VIEW main.{table} AS FROM {source}.main.{table} WHERE commit <= {commit}

-- name: sealed_whole
CREATE VIEW main.{table} AS FROM {source}.main.{table}

-- name: sealed_copy
CREATE VIEW main.{table} AS SELECT * EXCLUDE (seal) FROM {source}.main.{copy} WHERE seal = {seal}

-- A view over requests that retention may have removed since: what it said at the seal.
-- name: sealed_answer
CREATE OR REPLACE VIEW v1.{view} AS SELECT * EXCLUDE (seal) FROM {source}.main.{copy} WHERE seal = {seal}

-- Two seals may be of one commit: the earlier one does not show the later one.
-- name: sealed_seals
CREATE VIEW main.seals AS
FROM {source}.main.seals
WHERE (commit, "at") <= (SELECT (commit, "at") FROM {source}.main.seals WHERE name = {seal})

-- name: sealed_replaced
CREATE VIEW main.{table} AS
FROM {source}.main.{table} WHERE commit <= {commit}
UNION ALL BY NAME
SELECT * EXCLUDE (replaced) FROM {source}.main.{kept} WHERE commit <= {commit} AND replaced > {commit}

-- What is there now, beside what a seal shows: schema now. Without a seal both are the same.
-- name: show_now
CREATE SCHEMA IF NOT EXISTS now;
CREATE OR REPLACE VIEW now.allocations AS FROM {source}v1.allocations;
CREATE OR REPLACE VIEW now.charges AS FROM {source}v1.charges;
CREATE OR REPLACE VIEW now.allocation_prices AS FROM {source}v1.allocation_prices
