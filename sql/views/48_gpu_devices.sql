-- One row a window and device of FROM v1.device_range(tier, since, until): the GPU, with its MIG instances as parts of it.
-- What the whole device has (clocks, power, energy, temperature, links, errors) counts once, though every part reports it.
-- Activity is the mean over the parts, memory their sum.
CREATE OR REPLACE MACRO v1.device_range(tier, since, until) AS TABLE
SELECT
    r.window_start,
    coalesce(g.device, r.gpu) AS device,
    max(coalesce(g.node, r.node)) AS node,
    max(g.gpu_type) AS gpu_type,
    count(*) AS parts,
    max(greatest(*COLUMNS('_observed_ns$'))) AS known_ns,
    sum(COLUMNS('^(utilization|graphics_active|sm_active|tensor_active|dram_active)_ppm_(value_ns|observed_ns)$')),
    sum(COLUMNS('^framebuffer_(used|free|reserved)_mib_value_ns$')),
    max(COLUMNS('^framebuffer_(used|free|reserved)_mib_observed_ns$')),
    sum(framebuffer_used_mib_max) AS framebuffer_used_mib_max,
    max(COLUMNS('^(sm_clock_mhz|memory_clock_mhz|power_milliwatts|temperature_celsius|memory_temperature_celsius)_(value_ns|observed_ns|max)$')),
    min(COLUMNS('^sm_clock_mhz_min$')),
    max(COLUMNS('^(utilization|sm_active)_ppm_max$')),
    max(COLUMNS('_increase$'))
FROM v1.gpu_range(tier, since, until) r
LEFT JOIN v1.gpus g ON g.gpu = r.gpu
GROUP BY r.window_start, coalesce(g.device, r.gpu);
