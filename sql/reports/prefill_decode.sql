-- Prefill and decode
--
-- What each phase of a group costs: how long it takes a request, how many tokens it works through a second, and which share of
-- running time it is. tokens of prefill are prompt tokens that no cache had, of decode the output; where cached tokens are not known
-- those of prefill are not either. token_rate is tokens a second of the range; sequence_rate is tokens a second that one
-- request spends in the phase: what one user sees. Latencies are of n requests, from sketches: prefill of all that had a first
-- token, decode of those that ended ok. chunks are the pieces in which prompts were computed (step runs), a prompt in one piece
-- being one; recomputed tokens are the prompts' and outputs' that a preemption made an engine compute again (from request rows).
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, instance, request_class, model_class}: What to group by; chunks are known of all, model, model_version and instance.
--
-- unit p50, p95, p99: seconds
-- unit token_rate, sequence_rate: tokens/s
-- unit running_ratio: ratio
-- optional chunks, recomputed_tokens, p50, tokens, p99
-- rare recomputed_tokens, preemptions
-- horizon settled
-- layer prefill / decode
-- chart bars "Prefill": p50, p95, p99 over group where phase = prefill
-- chart bars "Decode": p50, p95, p99 over group where phase = decode
-- chart bars "Tokens a second of one request": sequence_rate over group each phase
WITH span AS (
    SELECT since, until FROM v1.window_range($from, $to)
),
sums AS (
    SELECT
        key,
        CASE
            WHEN sum(cache_known_prompt_tokens) FILTER (counts_prompt) = sum(prompt_tokens) FILTER (counts_prompt)
            THEN sum(prompt_tokens - cached_tokens) FILTER (counts_prompt)
        END AS prefill_tokens,
        nullif(sum(output_tokens) FILTER (counts_output), 0) AS decode_tokens,
        sum(prefill_ns) FILTER (counts_prompt) AS prefill_ns,
        sum(decode_ns) FILTER (counts_output) AS decode_ns,
        sum(running_ns) FILTER (counts_prompt OR counts_output) AS running_ns,
        sum(preemptions) FILTER (counts_output) AS preemptions
    FROM v1.grouped_windows($by, v1.report_tier($from::TIMESTAMP, $to::TIMESTAMP), $from, $to)
    GROUP BY key
),
latencies AS (
    SELECT *
    FROM v1.group_percentiles($by, ['prefill', 'decode'], $from, $to)
),
runs AS (
    SELECT
        v1.window_group($by, i.model, i.model_version, NULL, r.instance, NULL) AS key,
        sum(r.prefill_sequences) AS chunks
    FROM v1.step_runs r
    CROSS JOIN span
    LEFT JOIN v1.instances i
        ON i.instance = r.instance
        AND i.from_at <= r."at"
        AND coalesce(i.to_at, 'infinity'::TIMESTAMP) > r."at"
    WHERE $by IN ('all', 'model', 'model_version', 'instance')
        AND coalesce(r.rank_index, 0) = 0
        AND r."at" >= since
        AND r."at" < until
    GROUP BY ALL
),
recomputed AS (
    SELECT key, sum(recomputed_tokens) AS recomputed_tokens
    FROM v1.grouped_requests($by)
    CROSS JOIN span
    WHERE recomputed_tokens IS NOT NULL
        AND finished_at >= since
        AND finished_at < until
    GROUP BY key
),
phases AS (
    SELECT key, running_ns, preemptions, unnest([
        {place: 1, phase: 'prefill', tokens: prefill_tokens, spent_ns: prefill_ns},
        {place: 2, phase: 'decode', tokens: decode_tokens, spent_ns: decode_ns}
    ], recursive := true)
    FROM sums
)
SELECT
    p.key AS "group",
    p.phase,
    coalesce(l.n, 0) AS n,
    l.p50 / 1e9 AS p50,
    l.p95 / 1e9 AS p95,
    l.p99 / 1e9 AS p99,
    p.tokens::BIGINT AS tokens,
    v1.ratio(p.tokens, v1.seconds_between(since, until)) AS token_rate,
    v1.ratio(p.tokens * 1e9, p.spent_ns) AS sequence_rate,
    v1.ratio(p.spent_ns, p.running_ns) AS running_ratio,
    CASE WHEN p.phase = 'prefill' THEN c.chunks END::BIGINT AS chunks,
    CASE WHEN p.phase = 'prefill' THEN r.recomputed_tokens END::BIGINT AS recomputed_tokens,
    CASE WHEN p.phase = 'decode' THEN p.preemptions END::BIGINT AS preemptions,
    since AS window_from,
    until AS window_to
FROM phases p
CROSS JOIN span
LEFT JOIN latencies l ON l.key IS NOT DISTINCT FROM p.key AND l.measure = p.phase
LEFT JOIN runs c ON c.key IS NOT DISTINCT FROM p.key
LEFT JOIN recomputed r ON r.key IS NOT DISTINCT FROM p.key
WHERE l.n > 0 OR p.tokens > 0
ORDER BY p.key NULLS LAST, p.place;
