-- Nodes over windows: one row a tier, window and node.
-- A gauge x is its mean over the time in which it was known, with x_min and x_max; a counter is its increase.
-- Sources that speak of one thing are not added up: the greatest counts.
-- coverage is the share of the window for which the best known gauge was known. Filter on ONE level_seconds.
CREATE OR REPLACE VIEW v1.node_windows AS
WITH sources AS (
    SELECT level_seconds, window_start, node, instance, dp_index, sum(samples) AS samples,
        sum(COLUMNS('_(value_ns|observed_ns|increase)$')), min(COLUMNS('_min$')), max(COLUMNS('_max$'))
    FROM v1.node_window_deltas
    GROUP BY ALL
)
SELECT
    level_seconds,
    window_start,
    node,
    v1.coverage(max(greatest(*COLUMNS('_observed_ns$'))), any_value(level_seconds)) AS coverage,
    max(samples)::BIGINT AS samples,
    max(v1.time_mean(cpu_usage_ppm_value_ns, cpu_usage_ppm_observed_ns)) / 1e6 AS cpu_usage_ratio,
    min(cpu_usage_ppm_min) / 1e6 AS cpu_usage_ratio_min,
    max(cpu_usage_ppm_max) / 1e6 AS cpu_usage_ratio_max,
    max(v1.time_mean(cpu_throttled_ppm_value_ns, cpu_throttled_ppm_observed_ns)) / 1e6 AS cpu_throttled_ratio,
    min(cpu_throttled_ppm_min) / 1e6 AS cpu_throttled_ratio_min,
    max(cpu_throttled_ppm_max) / 1e6 AS cpu_throttled_ratio_max,
    max(v1.time_mean(load1_milli_value_ns, load1_milli_observed_ns)) / 1e3 AS load1,
    min(load1_milli_min) / 1e3 AS load1_min,
    max(load1_milli_max) / 1e3 AS load1_max,
    max(v1.time_mean(memory_used_mib_value_ns, memory_used_mib_observed_ns)) * 1048576 AS memory_used_bytes,
    min(memory_used_mib_min) * 1048576 AS memory_used_bytes_min,
    max(memory_used_mib_max) * 1048576 AS memory_used_bytes_max,
    max(v1.time_mean(memory_total_mib_value_ns, memory_total_mib_observed_ns)) * 1048576 AS memory_total_bytes,
    min(memory_total_mib_min) * 1048576 AS memory_total_bytes_min,
    max(memory_total_mib_max) * 1048576 AS memory_total_bytes_max,
    v1.bigint(max(page_faults_increase)) AS page_faults,
    v1.bigint(max(major_page_faults_increase)) AS major_page_faults,
    v1.bigint(max(network_receive_bytes_increase)) AS network_receive_bytes,
    v1.bigint(max(network_transmit_bytes_increase)) AS network_transmit_bytes,
    v1.bigint(max(network_errors_increase)) AS network_errors,
    v1.bigint(max(network_drops_increase)) AS network_drops,
    v1.bigint(max(disk_read_bytes_increase)) AS disk_read_bytes,
    v1.bigint(max(disk_written_bytes_increase)) AS disk_written_bytes,
    v1.seconds(max(disk_busy_ns_increase)) AS disk_busy_seconds
FROM sources
GROUP BY ALL;
