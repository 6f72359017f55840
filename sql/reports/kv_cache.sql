-- KV cache
--
-- How full the engines' KV caches were: it, not the GPU's memory, says how many sequences still fit. Usage is the mean over
-- the time in which it was known, max the greatest sample; at_90 and at_98 are shares of that time, by minutes (in a
-- range of more than three days by quarters of an hour) whose mean was so high. Blocks are means, added over the engines that tell them. Evictions, failed allocations, preemptions and retractions
-- are increases of the engines' counters: what an engine does not count is unknown (empty), not none. coverage is the time
-- in which the usage was known over the time that the instances stood.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = model {all, model, model_version, deployment, namespace, node, gpu_type, instance}: What to group by.
--
-- unit coverage, usage, usage_max, at_90, at_98: ratio
-- unit used, free, evictable, total: blocks
-- optional evictable, coverage, retractions, kv_tokens, free, engines, alloc_failures, used, total, at_90
-- horizon complete
-- layer KV cache
-- chart bars "KV cache in use": usage, usage_max over group
-- chart bars "Share of time that the KV cache was nearly full": at_90, at_98 over group
WITH span AS (
    FROM v1.sample_span('engine', $from::TIMESTAMP, $to::TIMESTAMP, NULL)
),
minutes AS (
    SELECT
        *,
        -- An engine that says blocks only: their quotient is the usage.
        CASE
            WHEN kv_cache_usage_ppm_observed_ns > 0 THEN kv_cache_usage_ppm_value_ns
            WHEN kv_total_blocks_value_ns > 0
            THEN kv_used_blocks_value_ns * 1000000 * kv_total_blocks_observed_ns // kv_total_blocks_value_ns
        END AS usage_value_ns,
        CASE
            WHEN kv_cache_usage_ppm_observed_ns > 0 THEN kv_cache_usage_ppm_observed_ns
            WHEN kv_total_blocks_value_ns > 0 THEN kv_used_blocks_observed_ns
        END AS usage_ns
    FROM v1.engine_range((SELECT minute_tier FROM span), $from::TIMESTAMP, $to::TIMESTAMP)
),
engines AS (
    SELECT
        instance,
        dp_index,
        model,
        model_version,
        sum(usage_value_ns) AS usage_value_ns,
        sum(usage_ns) AS usage_ns,
        sum(usage_ns) FILTER (usage_value_ns >= 900000 * usage_ns) AS ns_at_90,
        sum(usage_ns) FILTER (usage_value_ns >= 980000 * usage_ns) AS ns_at_98,
        max(coalesce(kv_cache_usage_ppm_max, CASE WHEN kv_total_blocks_max > 0 THEN kv_used_blocks_max * 1000000 // kv_total_blocks_max END)) AS usage_max,
        v1.milli_mean(sum(kv_used_blocks_value_ns), sum(kv_used_blocks_observed_ns)) AS used,
        v1.milli_mean(sum(kv_free_blocks_value_ns), sum(kv_free_blocks_observed_ns)) AS free,
        v1.milli_mean(sum(kv_evictable_blocks_value_ns), sum(kv_evictable_blocks_observed_ns)) AS evictable,
        v1.milli_mean(sum(kv_total_blocks_value_ns), sum(kv_total_blocks_observed_ns)) AS total,
        sum(evictions_increase) AS evictions,
        sum(allocation_failures_increase) AS alloc_failures,
        sum(preemptions_increase) AS preemptions,
        sum(retractions_increase) AS retractions
    FROM minutes
    GROUP BY instance, dp_index, model, model_version
),
grouped AS (
    SELECT
        v1.engine_group(
            $by, e.instance, coalesce(e.model, p.model), coalesce(e.model_version, p.model_version), p.deployment, p.namespace, p.node, p.gpu_type
        ) AS key,
        coalesce(x.expected_ns, epoch_ns(s.until) - epoch_ns(s.since)) AS expected_ns,
        p.kv_tokens,
        s.since,
        s.until,
        e.*
    FROM engines e
    LEFT JOIN v1.instance_places p ON p.instance = e.instance
    CROSS JOIN span s
    LEFT JOIN v1.expected_time((SELECT since FROM span), (SELECT until FROM span)) x ON x.instance = e.instance
)
SELECT
    key AS "group",
    count(*) AS engines,
    v1.covered(sum(usage_ns), sum(expected_ns)) AS coverage,
    v1.time_mean(sum(usage_value_ns), sum(usage_ns)) / 1e6 AS usage,
    max(usage_max) / 1e6 AS usage_max,
    v1.ratio(coalesce(sum(ns_at_90), 0), sum(usage_ns)) AS at_90,
    v1.ratio(coalesce(sum(ns_at_98), 0), sum(usage_ns)) AS at_98,
    sum(used) / 1e3 AS used,
    sum(free) / 1e3 AS free,
    sum(evictable) / 1e3 AS evictable,
    sum(total) / 1e3 AS total,
    sum(kv_tokens)::BIGINT AS kv_tokens,
    v1.bigint(sum(evictions)) AS evictions,
    v1.bigint(sum(alloc_failures)) AS alloc_failures,
    v1.bigint(sum(preemptions)) AS preemptions,
    v1.bigint(sum(retractions)) AS retractions,
    since AS window_from,
    until AS window_to
FROM grouped
GROUP BY key, since, until
ORDER BY key NULLS LAST;
