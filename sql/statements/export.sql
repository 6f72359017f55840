-- A query's rows as a Parquet file. The parameters are bound when the table is made: COPY takes none.

-- name: create_export
CREATE OR REPLACE TEMP TABLE export AS {query}

-- name: copy_export
COPY export TO {file} (FORMAT parquet, COMPRESSION zstd)

-- name: drop_export
DROP TABLE IF EXISTS temp.export
