-- Checks at start, and looking around.

-- name: bad_progress
SELECT topic, partition, count(*), min(next_offset), min(replay_offset), min(generation)
FROM progress
GROUP BY topic, partition
HAVING count(*) > 1 OR min(replay_offset) < 0 OR min(next_offset - replay_offset) < 0 OR min(generation) < 1
ORDER BY topic, partition

-- name: doubled_requests
SELECT topic, partition, lineage, "offset", idx, count(*)
FROM requests
SEMI JOIN (SELECT topic, partition, lineage, "offset", idx FROM requests WHERE commit > $1)
USING (topic, partition, lineage, "offset", idx)
GROUP BY ALL
HAVING count(*) > 1
ORDER BY ALL
LIMIT 1

-- name: tables
SELECT t.schema_name, t.table_name, 0
FROM duckdb_tables() t
WHERE t.database_name = current_database() AND NOT t.internal AND NOT t.temporary
ORDER BY t.schema_name, t.table_name

-- name: count_rows
SELECT count(*) FROM {table}

-- name: table_blocks
SELECT count(DISTINCT block_id) FROM pragma_storage_info({table}) WHERE block_id >= 0

-- name: block_size
SELECT block_size FROM pragma_database_size() WHERE database_name = current_database()

-- name: attach_copy
ATTACH {path} AS {name}

-- name: copy_database
COPY FROM DATABASE {source} TO {name}

-- name: detach_copy
DETACH {name}
