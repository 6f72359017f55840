-- Removing what is old. {aged} is which rows: retention's own condition, which names the age by event time and the last commit.

-- The event time that age counts from, the time of the newest commit, and where the earliest sealed period begins, with a day for what
-- reaches into it. The seals of jobs hold nothing back: their files are made, and costs read nothing that is removed.
-- name: retention_clocks
SELECT coalesce(epoch_ns((SELECT complete_through FROM v1.horizon)), 0),
    coalesce(epoch_us((SELECT max("at") FROM commits)), 0),
    coalesce(epoch_ns((SELECT min(period_from) - INTERVAL 1 DAY FROM seals WHERE name NOT IN (SELECT seal FROM job_runs))), 9223372036854775807)

-- The last commit before which all were made earlier than a time, us since 1970 UTC.
-- name: made_before
SELECT coalesce(min(commit) FILTER ("at" >= make_timestamp($1)) - 1, max(commit), 0) FROM commits

-- name: log_clocks
SELECT topic, partition, coalesce(log_clock, 0) FROM progress ORDER BY topic, partition

-- name: count_aged
SELECT count(*) FROM {table} WHERE {aged}

-- name: delete_aged
DELETE FROM {table} WHERE {aged}

-- name: aged_windows
level = {level} AND window_start < make_timestamp_ns({before}) AND commit <= {until}

-- name: aged_samples
("at" < make_timestamp_ns({before}) OR "at" IS NULL) AND commit <= {until}

-- name: aged_requests
topic = {topic} AND partition = {partition} AND finished_at < make_timestamp_ns({before}) AND commit <= {until}

-- name: note_aged_windows
INSERT INTO retention BY NAME
SELECT {name} AS "table", {level} AS level, make_timestamp_ns({before}) AS "before", {until} AS until, count(*) AS rows,
    {noted}, {commit} AS commit
FROM {table}
WHERE {aged}

-- name: note_aged_samples
INSERT INTO retention BY NAME
SELECT {name} AS "table", topic, partition, lineage, make_timestamp_ns({before}) AS "before", {until} AS until, count(*) AS rows,
    {noted}, {commit} AS commit
FROM {table}
WHERE {aged}
GROUP BY topic, partition, lineage

-- name: noted_request_windows
sum(finished) AS finished, sum(ok) AS ok, sum(output_tokens) AS output_tokens, sum(prompt_tokens) AS prompt_tokens,
    v1.windows_total(finished, output_tokens, running_ns) AS total

-- name: noted_sketches
v1.sketches_total(n, total, cnt) AS total

-- name: noted_sample_windows
v1.samples_total(samples, [*COLUMNS('_(value_ns|observed_ns|increase)$')]) AS total

-- name: noted_samples
count(*) AS events

-- name: noted_requests
sum(events) AS events,
    count(*) FILTER (flags & v1.flag_bit('evicted') <> 0) AS evicted,
    count(finished_at) AS finished,
    count(*) FILTER (outcome = 'ok') AS ok,
    sum(coalesce(output_tokens, output_seen_tokens)) AS output_tokens,
    sum(prompt_tokens) FILTER (coalesce(choice, 0) = 0) AS prompt_tokens
