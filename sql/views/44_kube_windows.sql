-- Kubernetes objects over windows: one row a tier, window and pod or deployment.
-- A gauge x is its mean over the time in which it was known, with x_min and x_max; a counter is its increase.
-- Sources that speak of one thing are not added up: the greatest counts.
-- coverage is the share of the window for which the best known gauge was known. Filter on ONE level_seconds.
CREATE OR REPLACE VIEW v1.kube_windows AS
WITH sources AS (
    SELECT level_seconds, window_start, namespace, deployment, pod, node, instance, dp_index, sum(samples) AS samples,
        sum(COLUMNS('_(value_ns|observed_ns|increase)$')), min(COLUMNS('_min$')), max(COLUMNS('_max$'))
    FROM v1.kube_window_deltas
    GROUP BY ALL
)
SELECT
    level_seconds,
    window_start,
    namespace,
    deployment,
    pod,
    node,
    v1.coverage(max(greatest(*COLUMNS('_observed_ns$'))), any_value(level_seconds)) AS coverage,
    max(samples)::BIGINT AS samples,
    max(v1.time_mean(ready_ppm_value_ns, ready_ppm_observed_ns)) / 1e6 AS ready_ratio,
    min(ready_ppm_min) / 1e6 AS ready_ratio_min,
    max(ready_ppm_max) / 1e6 AS ready_ratio_max,
    max(v1.time_mean(pending_pods_value_ns, pending_pods_observed_ns)) AS pending_pods,
    min(pending_pods_min) AS pending_pods_min,
    max(pending_pods_max) AS pending_pods_max,
    max(v1.time_mean(desired_replicas_value_ns, desired_replicas_observed_ns)) AS desired_replicas,
    min(desired_replicas_min) AS desired_replicas_min,
    max(desired_replicas_max) AS desired_replicas_max,
    max(v1.time_mean(ready_replicas_value_ns, ready_replicas_observed_ns)) AS ready_replicas,
    min(ready_replicas_min) AS ready_replicas_min,
    max(ready_replicas_max) AS ready_replicas_max,
    max(v1.time_mean(available_replicas_value_ns, available_replicas_observed_ns)) AS available_replicas,
    min(available_replicas_min) AS available_replicas_min,
    max(available_replicas_max) AS available_replicas_max,
    max(v1.time_mean(unavailable_replicas_value_ns, unavailable_replicas_observed_ns)) AS unavailable_replicas,
    min(unavailable_replicas_min) AS unavailable_replicas_min,
    max(unavailable_replicas_max) AS unavailable_replicas_max,
    max(v1.time_mean(hpa_min_replicas_value_ns, hpa_min_replicas_observed_ns)) AS hpa_min_replicas,
    min(hpa_min_replicas_min) AS hpa_min_replicas_min,
    max(hpa_min_replicas_max) AS hpa_min_replicas_max,
    max(v1.time_mean(hpa_max_replicas_value_ns, hpa_max_replicas_observed_ns)) AS hpa_max_replicas,
    min(hpa_max_replicas_min) AS hpa_max_replicas_min,
    max(hpa_max_replicas_max) AS hpa_max_replicas_max,
    max(v1.time_mean(hpa_desired_replicas_value_ns, hpa_desired_replicas_observed_ns)) AS hpa_desired_replicas,
    min(hpa_desired_replicas_min) AS hpa_desired_replicas_min,
    max(hpa_desired_replicas_max) AS hpa_desired_replicas_max,
    max(v1.time_mean(gpus_requested_value_ns, gpus_requested_observed_ns)) AS gpus_requested,
    min(gpus_requested_min) AS gpus_requested_min,
    max(gpus_requested_max) AS gpus_requested_max,
    max(v1.time_mean(cpu_throttled_ppm_value_ns, cpu_throttled_ppm_observed_ns)) / 1e6 AS cpu_throttled_ratio,
    min(cpu_throttled_ppm_min) / 1e6 AS cpu_throttled_ratio_min,
    max(cpu_throttled_ppm_max) / 1e6 AS cpu_throttled_ratio_max,
    v1.bigint(max(restarts_increase)) AS restarts,
    v1.bigint(max(oom_killed_increase)) AS oom_killed
FROM sources
GROUP BY ALL;
