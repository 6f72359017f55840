-- Cancellations
--
-- Requests whose client left, and what engines still did for them: pure waste. requests, cancelled and clients_gone are the
-- counting leg's; aborted are engines' requests with finish reason abort. When the client left is said by the engine's leg, else
-- by the gateway's of the same request. tokens_after_gone are the output tokens made after that: where the gateway counted what
-- it passed on, what the engine made beyond it; else estimated: the share of decode time that was left. estimated_tokens of them
-- are such. running_after_gone is time that requests ran on for nobody, waste_ratio its share of all running time. Cancelled requests
-- of which nobody says when the client left (unknown_gone) are in neither.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first request where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last request where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class, model_class, tenant, source, hour, day}: What to group by.
-- param zone VARCHAR = UTC: Time zone of hours and days.
--
-- unit cancelled_ratio, waste_ratio: ratio
-- unit running_after_gone: seconds
-- optional unknown_gone, aborted, estimated_tokens, output_tokens, cancelled_ratio
-- rare unknown_gone
-- horizon complete
-- layer cancellation
-- chart bars "Cancelled, and clients gone": cancelled, clients_gone over group
-- chart bars "Tokens made for clients that had left": tokens_after_gone over group
-- chart bars "Running time for clients that had left": waste_ratio over group
WITH span AS (
    SELECT since, until FROM v1.fact_range($from, $to)
),
ended AS (
    SELECT *
    FROM v1.grouped_requests($by, zone := $zone)
    CROSS JOIN span
    WHERE finished_at >= since
        AND finished_at < until
),
-- What the gateway's last attempt says of the client of a request.
gateways AS (
    SELECT
        join_key,
        model,
        arg_max(client_gone_at, (attempt, finished_at)) AS client_gone_at,
        arg_max(output_tokens, (attempt, finished_at)) AS passed_on
    FROM v1.requests
    WHERE role = 'gateway'
        AND join_key IS NOT NULL
        AND client_gone_at IS NOT NULL
    GROUP BY join_key, model
),
engines AS (
    SELECT
        e.key,
        e.outcome,
        e.finish_reason,
        e.output_tokens,
        e.finished_at,
        e.first_token_at,
        coalesce(e.scheduled_at, e.received_at) AS running_from,
        coalesce(e.last_token_at, e.finished_at) AS made_to,
        coalesce(e.client_gone_at, g.client_gone_at) AS gone_at,
        e.output_tokens - g.passed_on AS beyond
    FROM ended e
    LEFT JOIN gateways g ON g.join_key = e.join_key AND g.model IS NOT DISTINCT FROM e.model
    WHERE e.counts_output
),
wasted AS (
    SELECT
        *,
        CASE
            WHEN gone_at IS NULL OR beyond IS NOT NULL THEN NULL
            WHEN gone_at >= made_to THEN 0
            ELSE output_tokens - v1.spread_before(output_tokens, coalesce(first_token_at, made_to), made_to, gone_at)
        END AS estimate,
        CASE WHEN gone_at IS NOT NULL THEN v1.overlap_ns(running_from, finished_at, gone_at, finished_at) END AS after_ns,
        v1.overlap_ns(running_from, finished_at, running_from, finished_at) AS running_ns
    FROM engines
),
counted AS (
    SELECT
        key,
        count(*) AS requests,
        count(*) FILTER (outcome = 'cancelled') AS cancelled,
        count(client_gone_at) AS clients_gone
    FROM ended
    WHERE counts
    GROUP BY key
),
made AS (
    SELECT
        key,
        count(*) FILTER (finish_reason = 'abort') AS aborted,
        count(gone_at) AS known_gone,
        count(*) FILTER (outcome = 'cancelled' AND gone_at IS NULL) AS unknown_gone,
        sum(output_tokens) AS output_tokens,
        sum(CASE WHEN beyond IS NOT NULL THEN greatest(beyond, 0) ELSE estimate END) AS after_tokens,
        sum(estimate) AS estimated_tokens,
        sum(after_ns) AS after_ns,
        sum(running_ns) AS running_ns
    FROM wasted
    GROUP BY key
)
SELECT
    coalesce(c.key, m.key) AS "group",
    coalesce(c.requests, 0) AS requests,
    coalesce(c.cancelled, 0) AS cancelled,
    v1.ratio(c.cancelled, c.requests) AS cancelled_ratio,
    coalesce(c.clients_gone, 0) AS clients_gone,
    coalesce(m.aborted, 0) AS aborted,
    coalesce(m.unknown_gone, 0) AS unknown_gone,
    m.output_tokens::BIGINT AS output_tokens,
    -- Nobody left: nothing was wasted. Somebody left, and nobody says when: not known.
    CASE WHEN known_gone > 0 OR unknown_gone = 0 THEN coalesce(m.after_tokens, CASE WHEN known_gone = 0 THEN 0 END) END::BIGINT AS tokens_after_gone,
    CASE WHEN known_gone > 0 OR unknown_gone = 0 THEN coalesce(m.estimated_tokens, 0) END::BIGINT AS estimated_tokens,
    CASE WHEN known_gone > 0 OR unknown_gone = 0 THEN coalesce(m.after_ns, 0) / 1e9 END AS running_after_gone,
    CASE WHEN known_gone > 0 OR unknown_gone = 0 THEN v1.ratio(coalesce(m.after_ns, 0), m.running_ns) END AS waste_ratio,
    since AS window_from,
    until AS window_to
FROM counted c
FULL JOIN made m ON m.key IS NOT DISTINCT FROM c.key
CROSS JOIN span
ORDER BY "group" NULLS LAST;
