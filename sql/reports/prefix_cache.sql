-- Prefix cache
--
-- Which share of the prompt was read from a cache instead of computed. Only requests whose cached tokens are known count:
-- a source that does not say them is not available (empty), which is not 0 %. A prefix shorter than a block is never
-- found: block_tokens is the block size of the group's instances. Cached tokens above the prompt are clamped; clamped
-- counts them.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first request where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last request where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class, tenant, source, hour, day}: What to group by.
-- param zone VARCHAR = UTC: Time zone of hours and days.
--
-- unit hit_ratio: ratio
-- optional host_tokens, external_tokens, local_tokens, clamped, prompt_tokens
-- horizon complete
-- layer prefix cache
-- chart bars "Hit ratio": hit_ratio over group
-- chart bars "Prompt tokens whose cached part is known, and the cached part": known_prompt_tokens, cached_tokens over group
WITH span AS (
    SELECT
        coalesce($from::TIMESTAMP, min(coalesce(received_at, finished_at))) AS since,
        coalesce($to::TIMESTAMP, max(finished_at) + INTERVAL 1 MICROSECOND) AS until
    FROM v1.requests
),
prompts AS (
    SELECT
        v1.request_group(
            $by, r.model, r.model_version, r.adapter, r.deployment, r.namespace, r.cluster, r.node, r.pod, r.instance,
            r.gpu_type, r.request_class, r.tenant, r.source, v1.in_zone(r.finished_at, $zone)
        ) AS key,
        r.prompt_tokens,
        r.cached_tokens,
        r.cached_tokens IS NOT NULL AND r.prompt_tokens IS NOT NULL AS known,
        r.cached_local_tokens,
        r.cached_external_tokens,
        r.cached_host_tokens,
        list_contains(r.flags, 'cached_over_prompt') AS clamped,
        r.kv_block_tokens,
        s.since,
        s.until
    FROM v1.requests r
    JOIN v1.legs l
        ON l.deployment IS NOT DISTINCT FROM r.deployment
        AND l.model IS NOT DISTINCT FROM r.model
        AND l.role IS NOT DISTINCT FROM r.role
    CROSS JOIN span s
    WHERE r.role IS NOT DISTINCT FROM l.prompt_role
        -- The choices of a request share one prompt.
        AND coalesce(r.choice, 0) = 0
        AND r.finished_at >= s.since
        AND r.finished_at < s.until
),
summed AS (
    SELECT
        key,
        since,
        until,
        count(*) AS requests,
        count(*) FILTER (known) AS cache_known,
        sum(prompt_tokens)::BIGINT AS prompt_tokens,
        sum(prompt_tokens) FILTER (known)::BIGINT AS known_prompt_tokens,
        sum(cached_tokens) FILTER (known)::BIGINT AS cached_tokens,
        sum(cached_local_tokens)::BIGINT AS local_tokens,
        sum(cached_external_tokens)::BIGINT AS external_tokens,
        sum(cached_host_tokens)::BIGINT AS host_tokens,
        count(*) FILTER (clamped) AS clamped,
        list_sort(list(DISTINCT kv_block_tokens)) AS blocks
    FROM prompts
    GROUP BY ALL
)
SELECT
    key AS "group",
    requests,
    cache_known,
    prompt_tokens,
    known_prompt_tokens,
    cached_tokens,
    v1.ratio(cached_tokens, known_prompt_tokens) AS hit_ratio,
    local_tokens,
    external_tokens,
    host_tokens,
    clamped,
    nullif(array_to_string(blocks, ' '), '') AS block_tokens,
    since AS window_from,
    until AS window_to
FROM summed
ORDER BY key NULLS LAST;
