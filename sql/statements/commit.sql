-- Taking a lease, and committing batches under it.

-- name: last_commit
SELECT coalesce(max(commit), 0) FROM commits

-- name: positions
SELECT topic, partition, next_offset, replay_offset, coalesce(snapshot_hash, ''), generation, coalesce(rules, ''), coalesce(last_batch, 0),
    coalesce(attempts, 0), coalesce(trying, 0), coalesce(tried, 0)
FROM progress

-- name: insert_progress
INSERT INTO progress (topic, partition, next_offset, replay_offset, generation, rules, log_clock, watermark,
    complete_through, settled_through, records, consumed, loaded, pending, duplicate, dead, late, open, attempts)
VALUES ($1, $2, 0, 0, 1, $3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)

-- name: raise_generation
UPDATE progress
SET generation = generation + 1, attempts = attempts + 1, last_batch = 0
WHERE topic = $1 AND partition = $2

-- name: advance
UPDATE progress
SET next_offset = $3, rules = $4, log_clock = $5, watermark = $6, complete_through = $7, settled_through = $8,
    records = $9, consumed = $10, loaded = $11, pending = $12, duplicate = $13, dead = $14, late = $15, open = $16,
    last_batch = $17, commit = $18, attempts = if($3 > next_offset, 0, attempts),
    tried = CASE WHEN $19 = 0 THEN 0 WHEN $19 = trying THEN tried + 1 ELSE 1 END, trying = $19
WHERE topic = $1 AND partition = $2

-- name: set_replay
UPDATE progress
SET replay_offset = $3, snapshot_hash = $4
WHERE topic = $1 AND partition = $2

-- name: insert_rows
INSERT INTO {table} ({columns}, commit)
SELECT {columns}, {commit}
FROM {source}

-- name: delete_requests
DELETE FROM requests
USING (SELECT unnest($3::BIGINT[]) AS at_offset, unnest($4::BIGINT[]) AS at_idx) replaced
WHERE requests.topic = $1 AND requests.partition = $2
    AND requests."offset" = replaced.at_offset AND requests.idx = replaced.at_idx

-- name: insert_ticks
INSERT INTO ticks
SELECT $1, $2, unnest($3::BIGINT[]), unnest($4::BIGINT[]), unnest($5::BOOLEAN[]), $6

-- name: insert_ahead
INSERT INTO clock_exceptions
SELECT $1, $2, unnest($3::BIGINT[]), $4

-- name: insert_dead
INSERT INTO dead_letters
SELECT $1, $2, unnest($3::BIGINT[]), unnest($4::BIGINT[]), unnest($5::VARCHAR[]), unnest($6::BIGINT[]),
    unnest($7::VARCHAR[])::UBIGINT, unnest($8::BIGINT[]), $9

-- name: insert_gaps
INSERT INTO log_gaps
SELECT $1, $2, unnest($3::BIGINT[]), unnest($4::BIGINT[]), $5

-- name: insert_commit
INSERT INTO commits VALUES ($1, make_timestamp($2), $3, $4)
