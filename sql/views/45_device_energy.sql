-- One row a tier, window and GPU device: the energy that it took. MIG instances report the counter of their whole device: it counts
-- once, and so do several sources. observed_ns is how long the device was seen. Filter on ONE level_seconds.
CREATE OR REPLACE VIEW v1.device_energy AS
WITH told AS (
    SELECT gpu, max(parent_gpu) AS parent_gpu, max(gpu_type) AS gpu_type
    FROM main.gpu_samples
    WHERE gpu IS NOT NULL
    GROUP BY gpu
),
held AS (
    SELECT gpu, max(gpu_type) AS gpu_type
    FROM (SELECT unnest(gpu_uuids) AS gpu, gpu_type FROM v1.instances)
    GROUP BY gpu
),
sources AS (
    SELECT level_seconds, window_start, gpu, node, instance, dp_index, sum(energy_millijoules_increase)::BIGINT AS energy,
        sum(COLUMNS('_observed_ns$'))
    FROM v1.gpu_window_deltas
    GROUP BY ALL
),
seen AS (
    SELECT level_seconds, window_start, gpu, node, energy, greatest(*COLUMNS('_observed_ns$'))::BIGINT AS observed FROM sources
)
SELECT
    s.level_seconds,
    s.window_start,
    coalesce(t.parent_gpu, s.gpu) AS device,
    max(coalesce(t.gpu_type, h.gpu_type)) AS gpu_type,
    max(s.node) AS node,
    max(s.energy) AS energy_millijoules,
    least(max(s.observed), s.level_seconds * 1000000000)::BIGINT AS observed_ns
FROM seen s
LEFT JOIN told t ON t.gpu = s.gpu
LEFT JOIN held h ON h.gpu = coalesce(t.parent_gpu, s.gpu)
GROUP BY s.level_seconds, s.window_start, coalesce(t.parent_gpu, s.gpu);
