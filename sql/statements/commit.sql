-- Taking a lease, and committing batches under it.

-- name: last_commit
SELECT coalesce(max(commit), 0) FROM commits

-- name: positions
SELECT topic, partition, next_offset, replay_offset, coalesce(snapshot_hash, ''), generation, coalesce(rules, ''), coalesce(last_batch, 0),
    coalesce(attempts, 0), coalesce(trying, 0), coalesce(tried, 0), lineage,
    coalesce(cluster_id, ''), coalesce(topic_id, ''), coalesce(anchor_offset + 1, 0), coalesce(anchor_hash, 0::UBIGINT)
FROM progress

-- name: insert_progress
INSERT INTO progress (topic, partition, next_offset, replay_offset, lineage, generation, rules, log_clock, watermark,
    complete_through, settled_through, records, consumed, loaded, pending, duplicate, dead, late, open,
    evicted, forgotten, others, stale, attempts)
VALUES ($1, $2, 0, 0, 1, 1, $3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)

-- name: raise_generation
UPDATE progress
SET generation = generation + 1, attempts = attempts + 1, last_batch = 0
WHERE topic = $1 AND partition = $2

-- name: advance
UPDATE progress
SET next_offset = $3, rules = $4, log_clock = $5, watermark = $6, complete_through = $7, settled_through = $8,
    records = $9, consumed = $10, loaded = $11, pending = $12, duplicate = $13, dead = $14, late = $15, open = $16,
    last_batch = $17, commit = $18, attempts = if($3 > next_offset, 0, attempts),
    tried = CASE WHEN $19 = 0 THEN 0 WHEN $19 = trying THEN tried + 1 ELSE 1 END, trying = $19,
    cluster_id = nullif($20, ''), topic_id = nullif($21, ''), anchor_offset = nullif($22::BIGINT, 0) - 1,
    anchor_hash = CASE WHEN $22::BIGINT <> 0 THEN $23::VARCHAR::UBIGINT END,
    evicted = $24, forgotten = $25, others = $26, stale = $27, windows_through = greatest(windows_through, nullif($28::BIGINT, 0))
WHERE topic = $1 AND partition = $2

-- name: set_replay
UPDATE progress
SET replay_offset = $3, snapshot_hash = $4
WHERE topic = $1 AND partition = $2

-- Another log takes the place of the one that was folded: its row, and the old position as a gap without a known end. With
-- the state at hand, what was pending was written as lost; else it has no rows.
-- name: insert_lineage
INSERT INTO lineages
SELECT topic, partition, lineage + 1, $3, next_offset, replay_offset, nullif($4, ''), nullif($5, ''), records, consumed,
    loaded + if(replay_offset = next_offset, pending, 0), if(replay_offset = next_offset, 0, pending), duplicate, dead, late,
    evicted, forgotten, others, stale, $6
FROM progress
WHERE topic = $1 AND partition = $2

-- name: insert_lineage_gap
INSERT INTO log_gaps
SELECT topic, partition, next_offset, NULL, lineage, $3
FROM progress
WHERE topic = $1 AND partition = $2

-- name: raise_lineage
UPDATE progress SET lineage = lineage + 1 WHERE topic = $1 AND partition = $2

-- name: covered
SELECT producer, coalesce(boot, ''), lane, coalesce(source, ''), coalesce(instance, ''), coalesce(runs, []),
    coalesce(announced_seq, -1), received, duplicates, heartbeats, gaps, coalesce(epoch_ns(first_at), 0),
    coalesce(epoch_ns(last_at), 0), coalesce(stopped, false)
FROM producer_coverage
WHERE topic = $1 AND partition = $2
QUALIFY row_number() OVER (PARTITION BY producer, boot, lane ORDER BY commit DESC, evicted NULLS FIRST) = 1
ORDER BY ALL

-- {own} are the columns that the warehouse adds, {values} what they hold.
-- name: insert_rows
INSERT INTO {table} ({columns}, {own})
SELECT {columns}, {values}
FROM {source}

-- For benchmarks: the plainest way to load.
-- name: create_table_as
CREATE TABLE {table} AS
SELECT *
FROM {source}

-- name: any_seal
SELECT count(*) > 0 FROM seals

-- name: keep_sealed_requests
INSERT INTO replaced_requests BY NAME
SELECT requests.*, $6 AS replaced
FROM requests
SEMI JOIN (
    SELECT unnest($1::VARCHAR[]) AS topic, unnest($2::BIGINT[]) AS partition, unnest($3::BIGINT[]) AS lineage, unnest($4::BIGINT[]) AS "offset",
        unnest($5::BIGINT[]) AS idx
) USING (topic, partition, lineage, "offset", idx)
WHERE commit <= (SELECT max(commit) FROM seals)

-- name: delete_requests
DELETE FROM requests
USING (
    SELECT unnest($1::VARCHAR[]) AS topic, unnest($2::BIGINT[]) AS partition, unnest($3::BIGINT[]) AS lineage, unnest($4::BIGINT[]) AS "offset",
        unnest($5::BIGINT[]) AS idx
) replaced
WHERE requests.topic = replaced.topic AND requests.partition = replaced.partition AND requests.lineage = replaced.lineage
    AND requests."offset" = replaced."offset" AND requests.idx = replaced.idx

-- name: insert_ticks
INSERT INTO ticks
SELECT $1, $2, unnest($3::BIGINT[]), unnest($4::BIGINT[]), unnest($5::BOOLEAN[]), $6, $7

-- name: insert_ahead
INSERT INTO clock_exceptions
SELECT $1, $2, unnest($3::BIGINT[]), $4, $5

-- name: insert_dead
INSERT INTO dead_letters
SELECT $1, $2, unnest($3::BIGINT[]), unnest($4::BIGINT[]), unnest($5::VARCHAR[]), unnest($6::BIGINT[]),
    unnest($7::VARCHAR[])::UBIGINT, unnest($8::BIGINT[]), $9, $10

-- name: insert_gaps
INSERT INTO log_gaps
SELECT $1, $2, unnest($3::BIGINT[]), unnest($4::BIGINT[]), $5, $6

-- name: insert_commit
INSERT INTO commits VALUES ($1, make_timestamp($2), $3, $4)
