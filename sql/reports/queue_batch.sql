-- Queue and batch
--
-- How many requests wait and run on an engine of a group, why they wait, and how full its batches are. Means are of one engine,
-- over the time in which its samples said the value; maxima are of the fullest moment sampled. batch_ratio = batch_sequences /
-- max_sequences, token_ratio = batch_tokens / max_batched_tokens. queued_ratio is the share of windows of 10 s (of a minute in a
-- range beyond two days) all through which something waited, of those of which the queue is known. with_room of them never
-- reached the sequence limit, a KV cache 95 % full or the token limit: a scheduler that waits with room is at fault, and more GPUs
-- will not help. at_sequences, at_kv and at_tokens reached that limit (the first of them counts). Queue times are of the n
-- requests that were scheduled, from sketches.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, instance}: What to group by.
--
-- unit queued_ratio, with_room, at_sequences, at_kv, at_tokens, batch_ratio, token_ratio: ratio
-- unit queue_p50, queue_p95, queue_p99: seconds
-- optional capacity_mean, deferred_mean, running_max, max_batched_tokens, batch_tokens, max_sequences, engines, batch_max, at_tokens, at_kv, at_sequences, token_ratio, queue_p50
-- horizon complete
-- layer queue, batching
-- chart bars "Requests waiting and running on an engine": waiting_mean, running_mean over group
-- chart bars "How full the batch is": batch_ratio, token_ratio over group
-- chart stack "Time with a queue, and what the batch had left": with_room, at_sequences, at_kv, at_tokens over group
-- chart bars "Time in the queue": queue_p50, queue_p95, queue_p99 over group
WITH span AS (
    SELECT
        since,
        until,
        CASE
            WHEN v1.seconds_between(since, until) > 172800 THEN least(60, v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP))
            ELSE 10
        END AS moment
    FROM v1.window_range($from, $to)
),
-- The limits that an instance said when it began, where its samples do not say them.
limits AS (
    SELECT
        instance,
        arg_max(max_sequences, from_at) AS max_sequences,
        arg_max(max_batched_tokens, from_at) AS max_batched_tokens
    FROM v1.instances
    GROUP BY instance
),
means AS (
    SELECT
        v1.window_group($by, d.model, d.model_version, NULL, d.instance, NULL) AS key,
        count(DISTINCT d.instance) AS engines,
        v1.time_mean(sum(waiting_requests_value_ns), sum(waiting_requests_observed_ns)) AS waiting_mean,
        max(waiting_requests_max) AS waiting_max,
        v1.time_mean(sum(waiting_capacity_requests_value_ns), sum(waiting_capacity_requests_observed_ns)) AS capacity_mean,
        v1.time_mean(sum(waiting_deferred_requests_value_ns), sum(waiting_deferred_requests_observed_ns)) AS deferred_mean,
        v1.time_mean(sum(running_requests_value_ns), sum(running_requests_observed_ns)) AS running_mean,
        max(running_requests_max) AS running_max,
        v1.time_mean(sum(batch_sequences_value_ns), sum(batch_sequences_observed_ns)) AS batch_sequences,
        max(batch_sequences_max) AS batch_max,
        coalesce(v1.time_mean(sum(max_sequences_value_ns), sum(max_sequences_observed_ns)), max(l.max_sequences)) AS max_sequences,
        v1.time_mean(sum(batch_tokens_value_ns), sum(batch_tokens_observed_ns)) AS batch_tokens,
        coalesce(v1.time_mean(sum(max_batched_tokens_value_ns), sum(max_batched_tokens_observed_ns)), max(l.max_batched_tokens)) AS max_batched_tokens
    FROM v1.engine_window_deltas d
    LEFT JOIN limits l ON l.instance = d.instance
    WHERE level_seconds = v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP)
        AND window_start >= coalesce($from::TIMESTAMP, '-infinity'::TIMESTAMP)
        AND window_start < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
    GROUP BY ALL
),
-- One row an engine and window of 10 s or a minute.
windows AS (
    SELECT
        model,
        model_version,
        instance,
        min(waiting_requests_min) AS waiting,
        coalesce(max(batch_sequences_max), max(running_requests_max)) AS sequences,
        min(max_sequences_min) AS sequence_limit,
        max(kv_cache_usage_ppm_max) AS kv_ppm,
        max(batch_tokens_max) AS tokens,
        min(max_batched_tokens_min) AS token_limit
    FROM v1.engine_window_deltas
    WHERE level_seconds = (SELECT moment FROM span)
        AND window_start >= coalesce($from::TIMESTAMP, '-infinity'::TIMESTAMP)
        AND window_start < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
    GROUP BY model, model_version, instance, dp_index, window_start
    HAVING min(waiting_requests_min) IS NOT NULL
),
-- How many windows of an engine were in which state: of a few states, so that few rows get a group's name.
states AS (
    SELECT
        w.model,
        w.model_version,
        w.instance,
        waiting > 0 AS queued,
        sequences >= coalesce(sequence_limit, l.max_sequences) AS at_sequences,
        kv_ppm >= 950000 AS at_kv,
        tokens >= coalesce(token_limit, l.max_batched_tokens) AS at_tokens,
        count(*) AS windows
    FROM windows w
    LEFT JOIN limits l ON l.instance = w.instance
    GROUP BY ALL
),
moments AS (
    SELECT
        v1.window_group($by, model, model_version, NULL, instance, NULL) AS key,
        queued,
        at_sequences,
        at_kv,
        at_tokens,
        windows
    FROM states
),
shares AS (
    SELECT
        key,
        v1.ratio(coalesce(sum(windows) FILTER (queued), 0), sum(windows)) AS queued_ratio,
        v1.ratio(
            coalesce(sum(windows) FILTER (queued AND NOT at_sequences AND at_kv IS NOT TRUE AND at_tokens IS NOT TRUE), 0),
            sum(windows) FILTER (at_sequences IS NOT NULL)
        ) AS with_room,
        v1.ratio(
            coalesce(sum(windows) FILTER (queued AND at_sequences), 0),
            sum(windows) FILTER (at_sequences IS NOT NULL)
        ) AS at_sequences,
        v1.ratio(
            coalesce(sum(windows) FILTER (queued AND at_kv AND at_sequences IS NOT TRUE), 0),
            sum(windows) FILTER (at_kv IS NOT NULL)
        ) AS at_kv,
        v1.ratio(
            coalesce(sum(windows) FILTER (queued AND at_tokens AND at_kv IS NOT TRUE AND at_sequences IS NOT TRUE), 0),
            sum(windows) FILTER (at_tokens IS NOT NULL)
        ) AS at_tokens
    FROM moments
    GROUP BY key
),
queued AS (
    SELECT *
    FROM v1.group_percentiles($by, ['queue'], $from, $to)
),
groups AS (
    SELECT key FROM means
    UNION
    SELECT key FROM queued
)
SELECT
    g.key AS "group",
    m.engines,
    m.waiting_mean,
    m.waiting_max,
    m.capacity_mean,
    m.deferred_mean,
    m.running_mean,
    m.running_max,
    m.batch_sequences,
    m.batch_max,
    m.max_sequences,
    v1.ratio(m.batch_sequences, m.max_sequences) AS batch_ratio,
    m.batch_tokens,
    m.max_batched_tokens,
    v1.ratio(m.batch_tokens, m.max_batched_tokens) AS token_ratio,
    s.queued_ratio,
    s.with_room,
    s.at_sequences,
    s.at_kv,
    s.at_tokens,
    coalesce(q.n, 0) AS n,
    q.p50 / 1e9 AS queue_p50,
    q.p95 / 1e9 AS queue_p95,
    q.p99 / 1e9 AS queue_p99,
    since AS window_from,
    until AS window_to
FROM groups g
CROSS JOIN span
LEFT JOIN means m ON m.key IS NOT DISTINCT FROM g.key
LEFT JOIN shares s ON s.key IS NOT DISTINCT FROM g.key
LEFT JOIN queued q ON q.key IS NOT DISTINCT FROM g.key
ORDER BY g.key NULLS LAST;
