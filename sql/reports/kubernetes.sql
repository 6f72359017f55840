-- Kubernetes
--
-- What the orchestrator wanted and had: replicas of a deployment (means over time; ready_min and unavailable_max are
-- extremes), pods that were ready, restarts, pods killed for want of memory, pending pods, CPU throttling, and the
-- autoscaler: at_hpa_max is the share of time, by minutes (over three days by quarters of an hour), in which it wanted the most that it may have. Replicas come from
-- samples of the deployment, restarts and readiness from those of its pods; a pod that names no deployment belongs to its
-- instance's. What is not told is unknown (empty).
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = deployment {all, namespace, deployment, pod}: What to group by; replicas are added up.
--
-- unit coverage, pods_ready, at_hpa_max, throttled: ratio
-- unit gpus: GPUs
-- optional hpa_min, hpa_desired, available, throttled, ready_min, pending_max, coverage, hpa_max, gpus, pods_ready, pods, unavailable_max, at_hpa_max, unavailable
-- horizon complete
-- layer Kubernetes
-- chart bars "Replicas": desired, ready, available over group
-- chart bars "Restarts and kills": restarts, oom_killed over group
WITH span AS (
    FROM v1.sample_span('kube', $from::TIMESTAMP, $to::TIMESTAMP, NULL)
),
homes AS (
    SELECT namespace, pod, max(deployment) AS deployment
    FROM v1.instances
    WHERE pod IS NOT NULL
    GROUP BY namespace, pod
),
minutes AS (
    SELECT
        k.* EXCLUDE (deployment),
        coalesce(k.deployment, h.deployment) AS deployment,
        greatest(*COLUMNS('_observed_ns$')) AS known_ns,
        k.hpa_desired_replicas_value_ns * k.hpa_max_replicas_observed_ns
            >= k.hpa_max_replicas_value_ns * k.hpa_desired_replicas_observed_ns AS at_hpa_max
    FROM v1.kube_range((SELECT minute_tier FROM span), $from::TIMESTAMP, $to::TIMESTAMP) k
    LEFT JOIN homes h
        ON h.namespace IS NOT DISTINCT FROM k.namespace
        AND h.pod = k.pod
),
objects AS (
    SELECT
        namespace,
        deployment,
        pod,
        v1.bigint(sum(known_ns)) AS known_ns,
        v1.milli_mean(sum(desired_replicas_value_ns), sum(desired_replicas_observed_ns)) AS desired,
        v1.milli_mean(sum(ready_replicas_value_ns), sum(ready_replicas_observed_ns)) AS ready,
        min(ready_replicas_min) AS ready_min,
        v1.milli_mean(sum(available_replicas_value_ns), sum(available_replicas_observed_ns)) AS available,
        v1.milli_mean(sum(unavailable_replicas_value_ns), sum(unavailable_replicas_observed_ns)) AS unavailable,
        max(unavailable_replicas_max) AS unavailable_max,
        v1.milli_mean(sum(pending_pods_value_ns), sum(pending_pods_observed_ns)) AS pending,
        max(pending_pods_max) AS pending_max,
        v1.milli_mean(sum(hpa_min_replicas_value_ns), sum(hpa_min_replicas_observed_ns)) AS hpa_min,
        v1.milli_mean(sum(hpa_max_replicas_value_ns), sum(hpa_max_replicas_observed_ns)) AS hpa_max,
        v1.milli_mean(sum(hpa_desired_replicas_value_ns), sum(hpa_desired_replicas_observed_ns)) AS hpa_desired,
        sum(hpa_desired_replicas_observed_ns) FILTER (at_hpa_max IS NOT NULL) AS hpa_ns,
        sum(hpa_desired_replicas_observed_ns) FILTER (at_hpa_max) AS hpa_max_ns,
        v1.milli_mean(sum(gpus_requested_value_ns), sum(gpus_requested_observed_ns)) AS gpus,
        sum(ready_ppm_value_ns) AS ready_value_ns,
        sum(ready_ppm_observed_ns) AS ready_ns,
        sum(cpu_throttled_ppm_value_ns) AS throttled_value_ns,
        sum(cpu_throttled_ppm_observed_ns) AS throttled_ns,
        sum(restarts_increase) AS restarts,
        sum(oom_killed_increase) AS oom_killed
    FROM minutes
    GROUP BY namespace, deployment, pod
),
keyed AS (
    SELECT
        CASE $by
            WHEN 'all' THEN 'all'
            WHEN 'namespace' THEN namespace
            WHEN 'deployment' THEN v1.pair(namespace, '/', deployment)
            WHEN 'pod' THEN v1.pair(namespace, '/', pod)
        END AS key,
        *
    FROM objects
    WHERE $by <> 'pod' OR pod IS NOT NULL
)
SELECT
    key AS "group",
    count(pod) AS pods,
    v1.covered(max(known_ns), any_value(epoch_ns(s.until) - epoch_ns(s.since))) AS coverage,
    sum(desired) / 1e3 AS desired,
    sum(ready) / 1e3 AS ready,
    sum(ready_min)::BIGINT AS ready_min,
    sum(available) / 1e3 AS available,
    sum(unavailable) / 1e3 AS unavailable,
    sum(unavailable_max)::BIGINT AS unavailable_max,
    v1.time_mean(sum(ready_value_ns), sum(ready_ns)) / 1e6 AS pods_ready,
    v1.bigint(sum(restarts)) AS restarts,
    v1.bigint(sum(oom_killed)) AS oom_killed,
    sum(pending) / 1e3 AS pending,
    sum(pending_max)::BIGINT AS pending_max,
    sum(hpa_min) / 1e3 AS hpa_min,
    sum(hpa_max) / 1e3 AS hpa_max,
    sum(hpa_desired) / 1e3 AS hpa_desired,
    v1.ratio(coalesce(sum(hpa_max_ns), 0), sum(hpa_ns)) AS at_hpa_max,
    sum(gpus) / 1e3 AS gpus,
    v1.time_mean(sum(throttled_value_ns), sum(throttled_ns)) / 1e6 AS throttled,
    s.since AS window_from,
    s.until AS window_to
FROM keyed
CROSS JOIN span s
GROUP BY key, s.since, s.until
ORDER BY key NULLS LAST;
