-- Utilisation, saturation, errors
--
-- One row a resource (USE): how much of it was used, how often it was full, what failed. utilization is the mean over time and
-- objects, busiest the object with the greatest mean, utilization_max. GPU: SM active, else what the driver calls
-- utilisation; HBM in use; uncorrected ECC errors and faults. KV cache: usage; time at 95 % and more; failed
-- allocations. Scheduler: running requests of max sequences; time with waiting requests; rejections. CPU: use; throttling.
-- Memory: use; no saturation; kills for want of memory. Network: errors and drops (a link's speed is not told). Disk: busy.
-- Replicas: ready of desired; time at the autoscaler's most; restarts. Shares of time count minutes, over three days quarters of an hour. What nothing told
-- is unknown (empty); a resource of which nothing is known has no objects.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
--
-- unit coverage, utilization, utilization_max, saturation: ratio
-- optional errors_are, utilization_is, saturation_is, utilization_max, coverage, objects
-- horizon complete
-- layer USE, GPU, KV cache, batching, queue, node, Kubernetes
-- chart bars "Utilisation and saturation": utilization, utilization_max, saturation over resource
WITH ranges AS (
    SELECT
        min(coalesce($from::TIMESTAMP, first_at)) AS since,
        max(coalesce($to::TIMESTAMP, last_at)) AS until,
        v1.minute_tier($from::TIMESTAMP, $to::TIMESTAMP, v1.seconds_between(since, until)) AS minute_tier
    FROM v1.sample_spans
),
-- Of every resource one row a window and object: use and saturation in millionths, times ns.
gpus AS (
    SELECT
        'GPU' AS resource,
        device AS object,
        known_ns,
        coalesce(sm_active_ppm_value_ns, utilization_ppm_value_ns) AS used_value_ns,
        CASE WHEN sm_active_ppm_value_ns IS NOT NULL THEN sm_active_ppm_observed_ns ELSE utilization_ppm_observed_ns END AS used_ns,
        v1.share_ns(framebuffer_used_mib_value_ns, framebuffer_used_mib_observed_ns,
            framebuffer_used_mib_value_ns + framebuffer_free_mib_value_ns + coalesce(framebuffer_reserved_mib_value_ns, 0), framebuffer_used_mib_observed_ns) AS full_value_ns,
        CASE WHEN framebuffer_free_mib_value_ns IS NOT NULL THEN framebuffer_used_mib_observed_ns END AS full_ns,
        ecc_dbe_increase AS errors
    FROM v1.device_range(v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP), $from::TIMESTAMP, $to::TIMESTAMP)
    UNION ALL
    SELECT 'GPU', coalesce(g.device, f.gpu), 0, NULL, NULL, NULL, NULL, coalesce(f.count, 1)
    FROM v1.gpu_faults f
    LEFT JOIN v1.gpus g ON g.gpu = f.gpu
    WHERE v1.in_range(f."at", $from::TIMESTAMP, $to::TIMESTAMP)
),
engine_minutes AS (
    SELECT e.*, v1.pair(e.instance, '/', nullif(e.dp_index, 0)) AS object, coalesce(e.max_sequences_max, p.max_sequences) AS limit_sequences
    FROM v1.engine_range((SELECT minute_tier FROM ranges), $from::TIMESTAMP, $to::TIMESTAMP) e
    LEFT JOIN v1.instance_places p ON p.instance = e.instance
),
engines AS (
    SELECT
        'KV cache' AS resource,
        object,
        kv_cache_usage_ppm_observed_ns AS known_ns,
        kv_cache_usage_ppm_value_ns AS used_value_ns,
        kv_cache_usage_ppm_observed_ns AS used_ns,
        CASE WHEN kv_cache_usage_ppm_value_ns >= 950000 * kv_cache_usage_ppm_observed_ns THEN 1000000 ELSE 0 END * kv_cache_usage_ppm_observed_ns AS full_value_ns,
        kv_cache_usage_ppm_observed_ns AS full_ns,
        allocation_failures_increase AS errors
    FROM engine_minutes
    UNION ALL
    SELECT
        'scheduler',
        object,
        running_requests_observed_ns,
        v1.share_ns(running_requests_value_ns, running_requests_observed_ns, limit_sequences, 1),
        CASE WHEN limit_sequences > 0 THEN running_requests_observed_ns END,
        CASE WHEN waiting_requests_value_ns > 0 THEN 1000000 ELSE 0 END * waiting_requests_observed_ns,
        waiting_requests_observed_ns,
        rejections_increase
    FROM engine_minutes
),
nodes AS (
    SELECT node, unnest([
        {
            resource: 'CPU', known_ns: cpu_usage_ppm_observed_ns,
            used_value_ns: cpu_usage_ppm_value_ns, used_ns: cpu_usage_ppm_observed_ns,
            full_value_ns: cpu_throttled_ppm_value_ns, full_ns: cpu_throttled_ppm_observed_ns, errors: NULL::HUGEINT
        },
        {
            resource: 'memory', known_ns: memory_used_mib_observed_ns,
            used_value_ns: v1.share_ns(memory_used_mib_value_ns, memory_used_mib_observed_ns, memory_total_mib_value_ns, memory_total_mib_observed_ns),
            used_ns: CASE WHEN memory_total_mib_value_ns > 0 THEN memory_used_mib_observed_ns END,
            full_value_ns: NULL, full_ns: NULL, errors: NULL
        },
        {
            resource: 'network', known_ns: NULL, used_value_ns: NULL, used_ns: NULL, full_value_ns: NULL, full_ns: NULL,
            errors: CASE
                WHEN coalesce(network_errors_increase, network_drops_increase) IS NOT NULL
                THEN coalesce(network_errors_increase, 0) + coalesce(network_drops_increase, 0)
            END
        },
        {
            resource: 'disk', known_ns: NULL,
            used_value_ns: disk_busy_ns_increase * 1000000,
            used_ns: CASE WHEN disk_busy_ns_increase IS NOT NULL THEN v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP) * 1000000000::BIGINT END,
            full_value_ns: NULL, full_ns: NULL, errors: NULL
        }
    ], recursive := true)
    FROM v1.node_range(v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP), $from::TIMESTAMP, $to::TIMESTAMP)
),
kube AS (
    SELECT
        v1.pair(namespace, '/', coalesce(deployment, pod)) AS object,
        unnest([
            {
                resource: 'replicas', known_ns: ready_replicas_observed_ns,
                used_value_ns: v1.share_ns(ready_replicas_value_ns, ready_replicas_observed_ns, desired_replicas_value_ns, desired_replicas_observed_ns),
                used_ns: CASE WHEN desired_replicas_value_ns > 0 THEN ready_replicas_observed_ns END,
                full_value_ns: CASE WHEN hpa_desired_replicas_value_ns * hpa_max_replicas_observed_ns
                    >= hpa_max_replicas_value_ns * hpa_desired_replicas_observed_ns THEN 1000000 ELSE 0 END * hpa_desired_replicas_observed_ns,
                full_ns: CASE WHEN hpa_max_replicas_observed_ns > 0 THEN hpa_desired_replicas_observed_ns END,
                errors: restarts_increase
            },
            {
                resource: 'memory', known_ns: NULL, used_value_ns: NULL, used_ns: NULL, full_value_ns: NULL, full_ns: NULL,
                errors: oom_killed_increase
            }
        ], recursive := true)
    FROM v1.kube_range((SELECT minute_tier FROM ranges), $from::TIMESTAMP, $to::TIMESTAMP)
),
objects AS (
    SELECT
        resource,
        object,
        sum(known_ns) AS known_ns,
        sum(used_value_ns) AS used_value_ns,
        sum(used_ns) AS used_ns,
        sum(full_value_ns) AS full_value_ns,
        sum(full_ns) AS full_ns,
        sum(errors) AS errors
    FROM (
        FROM gpus
        UNION ALL BY NAME
        FROM engines
        UNION ALL BY NAME
        SELECT node AS object, * EXCLUDE (node) FROM nodes
        UNION ALL BY NAME
        FROM kube
    )
    GROUP BY resource, object
    HAVING coalesce(sum(known_ns), sum(used_ns), sum(full_ns), sum(errors)) IS NOT NULL
),
summed AS (
    SELECT
        resource,
        count(*) AS objects,
        sum(known_ns) AS known_ns,
        count(known_ns) AS known_objects,
        v1.time_mean(sum(used_value_ns), sum(used_ns)) / 1e6 AS utilization,
        max(v1.time_mean(used_value_ns, used_ns)) / 1e6 AS utilization_max,
        first(object ORDER BY v1.time_mean(used_value_ns, used_ns) DESC NULLS LAST, object) AS busiest,
        v1.time_mean(sum(full_value_ns), sum(full_ns)) / 1e6 AS saturation,
        v1.bigint(sum(errors)) AS errors
    FROM objects
    GROUP BY resource
),
resources AS (
    SELECT unnest([
        {place: 1, resource: 'GPU', utilization_is: 'SM active', saturation_is: 'HBM in use', errors_are: 'ECC, faults'},
        {place: 2, resource: 'KV cache', utilization_is: 'usage', saturation_is: 'time at 95 %', errors_are: 'failed allocations'},
        {place: 3, resource: 'scheduler', utilization_is: 'running of most', saturation_is: 'time with a queue', errors_are: 'rejections'},
        {place: 4, resource: 'CPU', utilization_is: 'use', saturation_is: 'throttled', errors_are: NULL},
        {place: 5, resource: 'memory', utilization_is: 'use', saturation_is: NULL, errors_are: 'killed pods'},
        {place: 6, resource: 'network', utilization_is: NULL, saturation_is: NULL, errors_are: 'errors, drops'},
        {place: 7, resource: 'disk', utilization_is: 'busy', saturation_is: NULL, errors_are: NULL},
        {place: 8, resource: 'replicas', utilization_is: 'ready of desired', saturation_is: 'time at most', errors_are: 'restarts'}
    ], recursive := true)
)
SELECT
    r.resource,
    coalesce(s.objects, 0) AS objects,
    v1.covered(s.known_ns, s.known_objects * (epoch_ns(g.until) - epoch_ns(g.since))) AS coverage,
    r.utilization_is,
    s.utilization,
    s.utilization_max,
    CASE WHEN s.utilization_max IS NOT NULL THEN s.busiest END AS busiest,
    r.saturation_is,
    s.saturation,
    r.errors_are,
    s.errors,
    g.since AS window_from,
    g.until AS window_to
FROM resources r
CROSS JOIN ranges g
LEFT JOIN summed s ON s.resource = r.resource
ORDER BY r.place;
