-- GPUs over time
--
-- Activity, memory, clock, power and temperature of each GPU, step by step. A value is a mean over the time in which it was
-- known, empty where it was not; a step without any has no row. coverage is the known time over the step. Rates of links are
-- over the whole step.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
-- param step BIGINT: Length of a step in seconds, a multiple of 10; at most 120 steps where not given.
-- param gpu VARCHAR: One GPU only; all where not given.
-- param node VARCHAR: The GPUs of one node only; all where not given.
--
-- unit coverage, util, sm, tensor, dram, hbm_used: ratio
-- unit sm_clock: MHz
-- unit power: W
-- unit temperature: °C
-- unit pcie, nvlink: B/s
-- optional node, pcie, nvlink, coverage, temperature, sm_clock, util, tensor, hbm_used
-- horizon complete
-- layer GPU
-- chart lines "Activity": util, sm, tensor, dram over time each gpu
-- chart lines "Power": power over time by gpu each node
-- chart lines "SM clock": sm_clock over time by gpu each node
-- chart heat "SM active": sm over time and gpu
WITH span AS (
    FROM v1.sample_span('gpu', $from::TIMESTAMP, $to::TIMESTAMP, $step::BIGINT)
),
devices AS (
    SELECT
        time_bucket(to_seconds(s.step), w.window_start) AS "time",
        w.device,
        s.step,
        s.since,
        s.until,
        max(w.node) AS node,
        v1.bigint(sum(w.known_ns)) AS known_ns,
        sum(COLUMNS(w.* EXCLUDE (window_start, device, node, gpu_type, parts, known_ns)))
    FROM v1.device_range(
        v1.step_tier((SELECT step FROM span), $from::TIMESTAMP, $to::TIMESTAMP), $from::TIMESTAMP, $to::TIMESTAMP
    ) w, span s
    WHERE ($gpu::VARCHAR IS NULL OR w.device = $gpu::VARCHAR)
        AND ($node::VARCHAR IS NULL OR w.node = $node::VARCHAR)
    GROUP BY ALL
)
SELECT
    "time",
    device AS gpu,
    node,
    v1.covered(known_ns, step * 1000000000) AS coverage,
    v1.time_mean(utilization_ppm_value_ns, utilization_ppm_observed_ns) / 1e6 AS util,
    v1.time_mean(sm_active_ppm_value_ns, sm_active_ppm_observed_ns) / 1e6 AS sm,
    v1.time_mean(tensor_active_ppm_value_ns, tensor_active_ppm_observed_ns) / 1e6 AS tensor,
    v1.time_mean(dram_active_ppm_value_ns, dram_active_ppm_observed_ns) / 1e6 AS dram,
    v1.ratio(
        framebuffer_used_mib_value_ns,
        framebuffer_used_mib_value_ns + framebuffer_free_mib_value_ns + coalesce(framebuffer_reserved_mib_value_ns, 0)
    ) AS hbm_used,
    v1.time_mean(sm_clock_mhz_value_ns, sm_clock_mhz_observed_ns) AS sm_clock,
    v1.time_mean(power_milliwatts_value_ns, power_milliwatts_observed_ns) / 1e3 AS power,
    v1.time_mean(temperature_celsius_value_ns, temperature_celsius_observed_ns) AS temperature,
    v1.ratio(pcie_rx_bytes_increase + pcie_tx_bytes_increase, step) AS pcie,
    v1.ratio(nvlink_rx_bytes_increase + nvlink_tx_bytes_increase, step) AS nvlink,
    since AS window_from,
    until AS window_to
FROM devices
ORDER BY "time", gpu NULLS LAST;
