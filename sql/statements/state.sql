-- Snapshots of the fold's state, and the ledger of the logs that are there now.

-- name: list_snapshots
SELECT "offset", hash, coalesce(rules, ''), commit
FROM snapshots
WHERE topic = $1 AND partition = $2 AND lineage = $3
ORDER BY commit DESC

-- name: all_snapshots
SELECT topic, partition, "offset", hash FROM snapshots

-- The same state at the same offset again is one file, so it is one row: else the file would go with the older row.
-- name: forget_same_snapshot
DELETE FROM snapshots WHERE topic = $1 AND partition = $2 AND "offset" = $3 AND hash = $4

-- name: insert_snapshot
INSERT INTO snapshots VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: drop_old_snapshots
DELETE FROM snapshots
WHERE topic = $1 AND partition = $2
    AND commit < (
        SELECT min(commit)
        FROM (FROM snapshots WHERE topic = $1 AND partition = $2 ORDER BY commit DESC LIMIT 2)
    )
RETURNING "offset", hash

-- name: ledger_ticks
SELECT topic, partition, "offset", "at", flush
FROM ticks
SEMI JOIN progress USING (topic, partition, lineage)
WHERE ($1::VARCHAR IS NULL OR (topic = $1 AND partition = $2)) AND commit > $3
ORDER BY topic, partition, "offset", commit, rowid

-- name: ledger_ahead
SELECT topic, partition, "offset"
FROM clock_exceptions
SEMI JOIN progress USING (topic, partition, lineage)
WHERE ($1::VARCHAR IS NULL OR (topic = $1 AND partition = $2)) AND commit > $3
ORDER BY ALL

-- name: ledger_dead
SELECT topic, partition, "offset", idx, reason, length, hash, events
FROM dead_letters
SEMI JOIN progress USING (topic, partition, lineage)
WHERE ($1::VARCHAR IS NULL OR (topic = $1 AND partition = $2)) AND commit > $3
ORDER BY topic, partition, "offset", commit, rowid

-- name: ledger_gaps
SELECT topic, partition, "from", "to"
FROM log_gaps
SEMI JOIN progress USING (topic, partition, lineage)
WHERE ($1::VARCHAR IS NULL OR (topic = $1 AND partition = $2)) AND commit > $3
ORDER BY ALL
