-- Cost per token
--
-- What the GPUs that were held cost, over the tokens that their engines made: allocation basis, idle time included.
-- GPU-hours are the instances' time in the range times their GPUs; money is their price at the time, exact to the
-- picodollar and additive over ranges. GPU-hours without a price, and tokens on no known instance, have rows of
-- their own with no cost: unpriced is not free. Only cost per token and tokens per GPU-second are rounded.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first instance or request where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; the last known time where not given.
-- param by VARCHAR = model {all, model, model_version, deployment, namespace, cluster, node, pod, instance, gpu_type, price_key, engine, region}: What to group by; model and version are those that the instance serves.
--
-- unit usd: USD
-- unit gpu_hours: GPU·h
-- unit usd_per_million_output_tokens, usd_per_million_tokens: USD/1M
-- unit output_tokens_per_gpu_second: tokens/GPU·s
-- optional requests, priced, input_tokens
-- horizon settled
-- layer cost
WITH span AS (
    SELECT
        coalesce($from::TIMESTAMP, least((SELECT min(from_at) FROM v1.instance_prices), min(coalesce(received_at, finished_at)))) AS since,
        coalesce($to::TIMESTAMP, greatest((SELECT max(to_at) FROM v1.instance_prices), max(finished_at) + INTERVAL 1 MICROSECOND)) AS until
    FROM v1.requests
),
held AS (
    SELECT
        CASE $by
            WHEN 'all' THEN 'all'
            WHEN 'model' THEN i.model
            WHEN 'model_version' THEN v1.pair(i.model, '@', i.model_version)
            WHEN 'deployment' THEN i.deployment
            WHEN 'namespace' THEN i.namespace
            WHEN 'cluster' THEN i.cluster
            WHEN 'node' THEN i.node
            WHEN 'pod' THEN i.pod
            WHEN 'instance' THEN i.instance
            WHEN 'gpu_type' THEN i.gpu_type
            WHEN 'price_key' THEN i.price_key
            WHEN 'engine' THEN v1.pair(i.engine, ' ', i.engine_version)
            WHEN 'region' THEN i.region
        END AS key,
        i.usd_per_hour IS NOT NULL AS priced,
        v1.overlap_ns(i.from_at, i.to_at, s.since, s.until) * i.gpus_ppm AS gpu_ppm_ns,
        -- Cost so far at the end of the range less cost so far at its start: days add up to their month.
        v1.cost_so_far(i.from_at, least(i.to_at, s.until), i.gpus_ppm, i.usd_per_hour)
            - v1.cost_so_far(i.from_at, greatest(i.from_at, s.since), i.gpus_ppm, i.usd_per_hour) AS usd
    FROM v1.instance_prices i, span s
    WHERE i.from_at < s.until
        AND i.to_at > s.since
),
made AS (
    SELECT
        CASE $by
            WHEN 'all' THEN 'all'
            WHEN 'model' THEN coalesce(i.model, r.model)
            WHEN 'model_version' THEN v1.pair(coalesce(i.model, r.model), '@', coalesce(i.model_version, r.model_version))
            WHEN 'deployment' THEN coalesce(i.deployment, r.deployment)
            WHEN 'namespace' THEN coalesce(i.namespace, r.namespace)
            WHEN 'cluster' THEN i.cluster
            WHEN 'node' THEN coalesce(i.node, r.node)
            WHEN 'pod' THEN coalesce(i.pod, r.pod)
            WHEN 'instance' THEN r.instance
            WHEN 'gpu_type' THEN i.gpu_type
            WHEN 'price_key' THEN i.price_key
            WHEN 'engine' THEN v1.pair(i.engine, ' ', i.engine_version)
            WHEN 'region' THEN i.region
        END AS key,
        i.usd_per_hour IS NOT NULL AS priced,
        r.role IS NOT DISTINCT FROM l.output_role AS counts_output,
        r.role IS NOT DISTINCT FROM l.prompt_role AND coalesce(r.choice, 0) = 0 AS counts_prompt,
        r.prompt_tokens,
        r.output_tokens
    FROM v1.requests r
    JOIN v1.legs l
        ON l.deployment IS NOT DISTINCT FROM r.deployment
        AND l.model IS NOT DISTINCT FROM r.model
        AND l.role IS NOT DISTINCT FROM r.role
    CROSS JOIN span s
    -- The price in force when the request came: tokens made on unpriced GPUs do not dilute the others' cost.
    LEFT JOIN v1.instance_prices i
        ON i.instance = r.instance
        AND i.from_at <= coalesce(r.received_at, r.first_token_at, r.finished_at)
        AND i.to_at > coalesce(r.received_at, r.first_token_at, r.finished_at)
    WHERE r.finished_at >= s.since
        AND r.finished_at < s.until
),
costs AS (
    SELECT key, priced, sum(gpu_ppm_ns) AS gpu_ppm_ns, sum(usd) AS usd
    FROM held
    GROUP BY ALL
),
tokens AS (
    SELECT
        key,
        priced,
        count(*) FILTER (counts_output) AS requests,
        sum(prompt_tokens) FILTER (counts_prompt)::BIGINT AS input_tokens,
        sum(output_tokens) FILTER (counts_output)::BIGINT AS output_tokens
    FROM made
    GROUP BY ALL
    HAVING count(*) FILTER (counts_output OR counts_prompt) > 0
),
matched AS (
    SELECT
        CASE WHEN c.priced IS NULL THEN t.key ELSE c.key END AS key,
        coalesce(c.priced, t.priced) AS priced,
        c.gpu_ppm_ns,
        c.usd,
        t.requests,
        t.input_tokens,
        t.output_tokens
    FROM costs c
    FULL JOIN tokens t
        ON coalesce(t.key, '') = coalesce(c.key, '')
        AND t.priced = c.priced
)
SELECT
    key AS "group",
    priced,
    requests,
    input_tokens,
    output_tokens,
    v1.ratio(gpu_ppm_ns, 3600000000000000000::HUGEINT) AS gpu_hours,
    usd,
    v1.ratio(usd * 1000000, output_tokens) AS usd_per_million_output_tokens,
    v1.ratio(usd * 1000000, coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) AS usd_per_million_tokens,
    v1.ratio(output_tokens, gpu_ppm_ns / 1e15) AS output_tokens_per_gpu_second,
    since AS window_from,
    until AS window_to
FROM matched, span
ORDER BY key NULLS LAST, priced DESC;
