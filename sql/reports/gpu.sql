-- GPUs
--
-- Utilisation, saturation and errors (USE) of GPUs, as DCGM tells them. Utilisation: util says that something ran, sm, tensor
-- and dram how much of the chip did. Saturation: HBM in use, time held back for power (power_capped) or heat. Errors:
-- ECC errors, and the faults that were reported (v1.gpu_faults) with the Xid codes. clock_drop is the mean SM clock below the middle one of the GPUs of
-- the type. Rates are over the time of the range. A field that a GPU did not give is unknown (empty), and named in unavailable,
-- with the share of GPUs that did where some did; means are over those. MIG instances are parts of one device, whose
-- energy counts once. serves: the models of the instances that held the GPUs.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param by VARCHAR = gpu {all, gpu, node, gpu_type, instance, model}: What to group by; a GPU that several instances held is a group of its own.
--
-- unit coverage, util, util_max, sm, tensor, dram, hbm_used, hbm_max, power_capped, heat_capped, clock_drop: ratio
-- unit sm_clock, sm_clock_min, memory_clock: MHz
-- unit power, power_max: W
-- unit energy: J
-- unit temperature, temperature_max: °C
-- unit pcie_rx, pcie_tx, nvlink_rx, nvlink_tx: B/s
-- optional memory_clock, nvlink_rx, nvlink_tx, pcie_rx, pcie_tx, power_max, temperature_max, sm_clock_min, hbm_max, util_max, node, gpu_type, energy, instances, sm_clock, heat_capped, gpus, ecc_sbe, clock_drop, power_capped, coverage, temperature, unavailable, serves, xids, ecc_dbe, tensor
-- horizon complete
-- layer GPU
-- chart bars "How busy the GPUs were": util, sm, tensor, dram over group
-- chart bars "Memory of the GPUs in use": hbm_used, hbm_max over group
-- chart bars "Power": power, power_max over group
WITH span AS (
    FROM v1.sample_span('gpu', $from::TIMESTAMP, $to::TIMESTAMP, NULL)
),
holders AS (
    SELECT h.device, v1.names(list(h.instance)) AS instances, v1.names(list(h.model)) AS serves
    FROM v1.instance_gpus h, span s
    WHERE h.from_at < s.until
        AND coalesce(h.to_at, 'infinity'::TIMESTAMP) > s.since
    GROUP BY h.device
),
faults AS (
    SELECT
        coalesce(g.device, f.gpu) AS device,
        sum(coalesce(f.count, 1)) AS faults,
        v1.names(list(f.code::VARCHAR) FILTER (f.fault = 'xid')) AS xids
    FROM v1.gpu_faults f
    CROSS JOIN span s
    LEFT JOIN v1.gpus g ON g.gpu = f.gpu
    WHERE f."at" >= s.since
        AND f."at" < s.until
    GROUP BY coalesce(g.device, f.gpu)
),
-- A fault counts also where the GPU has no samples: one that fell off the bus has none.
sampled AS (
    SELECT * FROM v1.device_range(v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP), $from::TIMESTAMP, $to::TIMESTAMP)
    UNION ALL BY NAME
    SELECT device FROM faults
),
devices AS (
    SELECT
        device,
        max(node) AS node,
        max(gpu_type) AS gpu_type,
        v1.bigint(sum(known_ns)) AS known_ns,
        sum(COLUMNS('_(value_ns|observed_ns|increase)$')),
        min(sm_clock_mhz_min) AS sm_clock_mhz_min,
        max(COLUMNS('_max$'))
    FROM sampled
    GROUP BY device
),
peers AS (
    SELECT
        gpu_type,
        quantile_cont(v1.time_mean(sm_clock_mhz_value_ns, sm_clock_mhz_observed_ns), 0.5) AS sm_clock,
        count(*) AS gpus
    FROM devices
    WHERE sm_clock_mhz_observed_ns > 0
    GROUP BY gpu_type
),
grouped AS (
    SELECT
        CASE $by
            WHEN 'all' THEN 'all'
            WHEN 'gpu' THEN d.device
            WHEN 'node' THEN d.node
            WHEN 'gpu_type' THEN d.gpu_type
            WHEN 'instance' THEN h.instances
            WHEN 'model' THEN h.serves
        END AS key,
        epoch_ns(s.until) - epoch_ns(s.since) AS span_ns,
        h.instances,
        h.serves,
        f.faults,
        f.xids,
        CASE
            WHEN p.gpus >= 2
            THEN greatest(1 - v1.ratio(v1.time_mean(d.sm_clock_mhz_value_ns, d.sm_clock_mhz_observed_ns), p.sm_clock), 0)
        END AS clock_drop,
        d.framebuffer_used_mib_value_ns + d.framebuffer_free_mib_value_ns + coalesce(d.framebuffer_reserved_mib_value_ns, 0) AS framebuffer_value_ns,
        v1.ratio(
            d.framebuffer_used_mib_max::DOUBLE * d.framebuffer_used_mib_observed_ns,
            d.framebuffer_used_mib_value_ns + d.framebuffer_free_mib_value_ns + coalesce(d.framebuffer_reserved_mib_value_ns, 0)
        ) AS framebuffer_max,
        s.since,
        s.until,
        d.*
    FROM devices d
    CROSS JOIN span s
    LEFT JOIN holders h ON h.device = d.device
    LEFT JOIN faults f ON f.device = d.device
    LEFT JOIN peers p ON p.gpu_type IS NOT DISTINCT FROM d.gpu_type
),
-- How many of a group's GPUs gave each field.
given AS (
    SELECT key, count(*) AS gpus, unnest([
        {place: 1, field: 'util', known: count(utilization_ppm_observed_ns)},
        {place: 2, field: 'sm', known: count(sm_active_ppm_observed_ns)},
        {place: 3, field: 'tensor', known: count(tensor_active_ppm_observed_ns)},
        {place: 4, field: 'dram', known: count(dram_active_ppm_observed_ns)},
        {place: 5, field: 'hbm', known: count(framebuffer_value_ns)},
        {place: 6, field: 'sm_clock', known: count(sm_clock_mhz_observed_ns)},
        {place: 7, field: 'memory_clock', known: count(memory_clock_mhz_observed_ns)},
        {place: 8, field: 'power', known: count(power_milliwatts_observed_ns)},
        {place: 9, field: 'energy', known: count(energy_millijoules_increase)},
        {place: 10, field: 'temperature', known: count(temperature_celsius_observed_ns)},
        {place: 11, field: 'power_capped', known: count(power_violation_ns_increase)},
        {place: 12, field: 'heat_capped', known: count(thermal_violation_ns_increase)},
        {place: 13, field: 'ecc', known: count(ecc_dbe_increase)},
        {place: 14, field: 'pcie', known: count(pcie_rx_bytes_increase)},
        {place: 15, field: 'nvlink', known: count(nvlink_rx_bytes_increase)}
    ], recursive := true)
    FROM grouped
    GROUP BY key
),
missing AS (
    SELECT
        key,
        string_agg(CASE WHEN known = 0 THEN field ELSE field || ' ' || known || '/' || gpus END, ' ' ORDER BY place) AS unavailable
    FROM given
    WHERE known < gpus
    GROUP BY key
)
SELECT
    g.key AS "group",
    any_value(m.unavailable) AS unavailable,
    count(*) AS gpus,
    max(g.gpu_type) AS gpu_type,
    v1.names(list(g.node)) AS node,
    v1.names(list(g.instances)) AS instances,
    v1.names(list(g.serves)) AS serves,
    v1.covered(sum(g.known_ns), sum(g.span_ns)) AS coverage,
    v1.time_mean(sum(g.utilization_ppm_value_ns), sum(g.utilization_ppm_observed_ns)) / 1e6 AS util,
    max(g.utilization_ppm_max) / 1e6 AS util_max,
    v1.time_mean(sum(g.sm_active_ppm_value_ns), sum(g.sm_active_ppm_observed_ns)) / 1e6 AS sm,
    v1.time_mean(sum(g.tensor_active_ppm_value_ns), sum(g.tensor_active_ppm_observed_ns)) / 1e6 AS tensor,
    v1.time_mean(sum(g.dram_active_ppm_value_ns), sum(g.dram_active_ppm_observed_ns)) / 1e6 AS dram,
    v1.ratio(sum(g.framebuffer_used_mib_value_ns) FILTER (g.framebuffer_value_ns IS NOT NULL), sum(g.framebuffer_value_ns)) AS hbm_used,
    max(g.framebuffer_max) AS hbm_max,
    v1.ratio(sum(g.power_violation_ns_increase), sum(g.span_ns) FILTER (g.power_violation_ns_increase IS NOT NULL)) AS power_capped,
    v1.ratio(sum(g.thermal_violation_ns_increase), sum(g.span_ns) FILTER (g.thermal_violation_ns_increase IS NOT NULL)) AS heat_capped,
    v1.bigint(sum(g.ecc_sbe_increase)) AS ecc_sbe,
    v1.bigint(sum(g.ecc_dbe_increase)) AS ecc_dbe,
    coalesce(sum(g.faults), 0)::BIGINT AS faults,
    v1.names(list(g.xids)) AS xids,
    v1.time_mean(sum(g.sm_clock_mhz_value_ns), sum(g.sm_clock_mhz_observed_ns)) AS sm_clock,
    min(g.sm_clock_mhz_min) AS sm_clock_min,
    max(g.clock_drop) AS clock_drop,
    v1.time_mean(sum(g.memory_clock_mhz_value_ns), sum(g.memory_clock_mhz_observed_ns)) AS memory_clock,
    v1.time_mean(sum(g.power_milliwatts_value_ns), sum(g.power_milliwatts_observed_ns)) / 1e3 AS power,
    max(g.power_milliwatts_max) / 1e3 AS power_max,
    sum(g.energy_millijoules_increase)::DOUBLE / 1e3 AS energy,
    v1.time_mean(sum(g.temperature_celsius_value_ns), sum(g.temperature_celsius_observed_ns)) AS temperature,
    max(g.temperature_celsius_max) AS temperature_max,
    v1.ratio(sum(g.pcie_rx_bytes_increase) * 1e9, any_value(g.span_ns)) AS pcie_rx,
    v1.ratio(sum(g.pcie_tx_bytes_increase) * 1e9, any_value(g.span_ns)) AS pcie_tx,
    v1.ratio(sum(g.nvlink_rx_bytes_increase) * 1e9, any_value(g.span_ns)) AS nvlink_rx,
    v1.ratio(sum(g.nvlink_tx_bytes_increase) * 1e9, any_value(g.span_ns)) AS nvlink_tx,
    g.since AS window_from,
    g.until AS window_to
FROM grouped g
LEFT JOIN missing m ON m.key IS NOT DISTINCT FROM g.key
GROUP BY g.key, g.since, g.until
ORDER BY g.key NULLS LAST;
