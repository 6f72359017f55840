-- Faults and restarts as one list: one row an event: at, kind, and the object that it happened to. Kinds: those of GPU faults
-- (v1.gpu_faults: xid with its code, ecc_uncorrected, …), instance_lost: a boot that went silent without a word,
-- instance_restart: a later boot of an instance, pod_restart and oom_killed: increases of Kubernetes' counters, at the 10 s
-- window that has them. instances and models are what was served there at the time.
CREATE OR REPLACE VIEW v1.incidents AS
WITH told AS (
    SELECT window_start, namespace, pod, instance, dp_index, sum(restarts_increase) AS restarts, sum(oom_killed_increase) AS oom_killed
    FROM v1.kube_window_deltas
    WHERE level_seconds = 10
        AND (restarts_increase > 0 OR oom_killed_increase > 0)
    GROUP BY ALL
),
-- Sources that speak of one pod are not added up.
pods AS (
    SELECT window_start, namespace, pod, max(restarts) AS restarts, max(oom_killed) AS oom_killed
    FROM told
    GROUP BY window_start, namespace, pod
),
pod_events AS (
    SELECT window_start AS "at", namespace, pod, unnest([
        {kind: 'pod_restart', count: restarts}, {kind: 'oom_killed', count: oom_killed}
    ], recursive := true)
    FROM pods
)
SELECT
    "at",
    fault AS kind,
    'gpu' AS object_kind,
    gpu AS object,
    node,
    code,
    coalesce(count, 1) AS count,
    held_by AS instances,
    held_models AS models
FROM v1.gpu_faults
UNION ALL
SELECT from_at, 'instance_lost', 'instance', instance, node, NULL, 1, [instance], list_filter([model], lambda m: m IS NOT NULL)
FROM v1.instance_states
WHERE state = 'lost'
UNION ALL
SELECT from_at, 'instance_restart', 'instance', instance, node, NULL, 1, [instance], list_filter([model], lambda m: m IS NOT NULL)
FROM v1.instances
QUALIFY row_number() OVER (PARTITION BY instance ORDER BY from_at, boot) > 1
UNION ALL
SELECT
    p."at",
    p.kind,
    'pod',
    v1.pair(p.namespace, '/', p.pod),
    max(i.node),
    NULL,
    max(p.count)::BIGINT,
    coalesce(list_sort(list(DISTINCT i.instance) FILTER (i.instance IS NOT NULL)), []),
    coalesce(list_sort(list(DISTINCT i.model) FILTER (i.model IS NOT NULL)), [])
FROM pod_events p
LEFT JOIN v1.instances i
    ON i.pod = p.pod
    AND i.namespace IS NOT DISTINCT FROM p.namespace
    AND i.from_at < p."at" + INTERVAL 10 SECOND
    AND coalesce(i.to_at, 'infinity'::TIMESTAMP) > p."at"
WHERE p.count > 0
GROUP BY p."at", p.kind, p.namespace, p.pod;
