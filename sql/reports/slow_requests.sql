-- Slow requests
--
-- The slowest requests of the range, one a row, and where their time went: TTFT = gateway + rest + queue + prefill, then decode.
-- e2e and ttft are the counting leg's; the other times, tokens and instance are those of its engine's leg, joined by join_key. gateway
-- is what the counting leg's TTFT has beyond the engine's. running and waiting are what the engine had when the request came.
-- Whatever the outcome; ask one with trace_id in your traces.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first request where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last request where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class, model_class, tenant, source}: What the column group says.
-- param slow VARCHAR = e2e {e2e, ttft}: By which time they are the slowest; a request without it is left out.
-- param top BIGINT = 20: How many.
--
-- unit e2e, ttft, gateway, rest, queue, prefill, decode, tpot: seconds
-- optional trace_id, cached_tokens, rest, gateway, preemptions, http_status, tpot, prompt_tokens, waiting, running, received_at, group, instance, output_tokens
-- rare preemptions, gateway
-- horizon complete
-- layer latency, TTFT, queue
-- chart stack "Where the time of the slowest went": gateway, rest, queue, prefill, decode over request_id
WITH span AS (
    SELECT since, until FROM v1.fact_range($from, $to)
),
slowest AS (
    SELECT *, CASE $slow WHEN 'e2e' THEN e2e_seconds ELSE ttft_seconds END AS slowness
    FROM v1.grouped_requests($by)
    CROSS JOIN span
    WHERE counts
        AND finished_at >= since
        AND finished_at < until
        AND slowness IS NOT NULL
    ORDER BY slowness DESC, topic, partition, lineage, "offset", idx
    LIMIT $top::BIGINT
),
-- The engine's part of a request that a gateway counts: the prompt's leg and the output's, of the last attempt.
engines AS (
    SELECT *
    FROM v1.grouped_requests($by)
    WHERE NOT counts
        AND join_key IN (SELECT s.join_key FROM slowest s)
),
prompts AS (
    SELECT DISTINCT ON (join_key, model) *
    FROM engines
    WHERE speaks_prompt
    ORDER BY join_key, model, attempt DESC, finished_at DESC, topic, partition, lineage, "offset", idx
),
outputs AS (
    SELECT DISTINCT ON (join_key, model) *
    FROM engines
    WHERE counts_output
    ORDER BY join_key, model, attempt DESC, finished_at DESC, topic, partition, lineage, "offset", idx
),
joined AS (
    SELECT
        c.*,
        CASE WHEN c.ttft_seconds >= p.ttft_seconds THEN c.ttft_seconds - p.ttft_seconds END AS gateway,
        CASE WHEN c.speaks_prompt THEN c ELSE p END AS prompt_leg,
        CASE WHEN c.counts_output THEN c ELSE o END AS output_leg
    FROM slowest c
    LEFT JOIN prompts p ON p.join_key = c.join_key AND p.model IS NOT DISTINCT FROM c.model
    LEFT JOIN outputs o ON o.join_key = c.join_key AND o.model IS NOT DISTINCT FROM c.model
)
SELECT
    request_id,
    key AS "group",
    coalesce(output_leg.instance, instance) AS instance,
    received_at,
    outcome,
    http_status,
    e2e_seconds AS e2e,
    ttft_seconds AS ttft,
    gateway,
    prompt_leg.rest_seconds AS rest,
    prompt_leg.queue_seconds AS queue,
    prompt_leg.prefill_seconds AS prefill,
    output_leg.decode_seconds AS decode,
    output_leg.tpot_seconds AS tpot,
    prompt_leg.prompt_tokens AS prompt_tokens,
    prompt_leg.cached_tokens AS cached_tokens,
    output_leg.output_tokens AS output_tokens,
    prompt_leg.running_requests AS running,
    prompt_leg.waiting_requests AS waiting,
    output_leg.preemptions AS preemptions,
    coalesce(trace_id, output_leg.trace_id, prompt_leg.trace_id) AS trace_id,
    since AS window_from,
    until AS window_to
FROM joined
ORDER BY slowness DESC, topic, partition, lineage, "offset", idx;
