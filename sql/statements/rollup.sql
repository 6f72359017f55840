-- Summing windows from level to level, and compacting deltas. {length} is a level's length in ns.

-- name: rollup_position
SELECT coalesce(max(commit), 0) FROM rollup_positions WHERE source = $1 AND level = $2

-- name: insert_rollup_position
INSERT INTO rollup_positions
SELECT $1, $2, 0
WHERE NOT EXISTS (FROM rollup_positions WHERE source = $1 AND level = $2)

-- name: move_rollup_position
UPDATE rollup_positions SET commit = $3 WHERE source = $1 AND level = $2

-- name: rollup
INSERT INTO {table} ({columns}, commit)
WITH deltas AS (
    SELECT make_timestamp_ns(epoch_ns(window_start) // {length} * {length}) AS window_start, {level} AS level,
        * EXCLUDE (window_start, level, commit), {commit} AS commit
    FROM {table}
    WHERE level = {below} AND commit > {after} AND commit <= {until}
)
{sum}

-- name: create_merged
CREATE OR REPLACE TEMP TABLE merged AS
WITH fresh AS (
    SELECT DISTINCT window_start
    FROM {table}
    WHERE level = {level} AND commit > {since} AND commit <= {until}
),
touched AS (
    SELECT *
    FROM {table}
    WHERE level = {level} AND commit > {after} AND commit <= {until} AND window_start IN (FROM fresh)
),
-- Where nearly every key has one delta already, rewriting them all for the few that have two is not worth it.
doubled AS (
    SELECT window_start
    FROM (SELECT window_start, count(*) AS deltas FROM touched GROUP BY window_start, {key})
    GROUP BY window_start
    HAVING sum(deltas) >= 1.25 * count(*)
),
deltas AS (
    SELECT * FROM touched WHERE window_start IN (FROM doubled)
)
{sum}

-- name: delete_merged
DELETE FROM {table}
WHERE level = {level} AND commit > {after} AND commit <= {until}
    AND window_start IN (SELECT window_start FROM merged)

-- name: insert_merged
INSERT INTO {table} ({columns}, commit) FROM merged

-- name: drop_merged
DROP TABLE IF EXISTS merged

-- name: count_deltas
SELECT count(*)
FROM {table}
WHERE level = {below} AND commit > {after} AND commit <= {until}

-- The commit through which there are at least so many deltas, the last one where there are fewer.
-- name: commit_of_delta
SELECT coalesce(min(commit) FILTER (so_far >= {most}), {until})
FROM (
    SELECT commit, sum(count(*)) OVER (ORDER BY commit) AS so_far
    FROM {table}
    WHERE level = {below} AND commit > {after} AND commit <= {until}
    GROUP BY commit
)

-- name: sum_windows
SELECT window_start, level, {key}, {sums}, max(commit)
FROM deltas
GROUP BY window_start, level, {key}

-- name: sum_request_sketches
SELECT window_start, level, {key}, v1.bigint(sum(n)), v1.bigint(sum(zero)), v1.bigint(sum(total)), min(min), max(max),
    coalesce(list(bucket ORDER BY bucket) FILTER (bucket IS NOT NULL AND count <> 0), []),
    coalesce(list(v1.bigint(count) ORDER BY bucket) FILTER (bucket IS NOT NULL AND count <> 0), []),
    max(commit)
FROM (
    SELECT window_start, level, {key}, bucket, sum(n) AS n, sum(zero) AS zero, sum(total) AS total,
        min(min) AS min, max(max) AS max, sum(count) AS count, max(commit) AS commit
    FROM (
        SELECT window_start, level, {key}, NULL AS bucket, n, zero, total, min, max, 0 AS count, commit
        FROM deltas
        UNION ALL
        SELECT window_start, level, {key}, unnest(idx), 0, 0, 0, NULL, NULL, unnest(cnt), commit
        FROM deltas
    )
    GROUP BY window_start, level, {key}, bucket
)
GROUP BY window_start, level, {key}

-- What a lane was when the fold forgot it stays: its later rows count anew.
-- name: compact_coverage
DELETE FROM producer_coverage
WHERE commit > $1 AND commit <= $2 AND evicted IS NULL AND EXISTS (
    FROM producer_coverage newer
    WHERE newer.commit > producer_coverage.commit AND newer.commit <= $2
        AND newer.topic = producer_coverage.topic AND newer.partition = producer_coverage.partition
        AND newer.producer = producer_coverage.producer AND newer.boot = producer_coverage.boot
        AND newer.lane = producer_coverage.lane
)
