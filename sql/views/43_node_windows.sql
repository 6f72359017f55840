-- Nodes over windows: one row a tier, window and node.
-- A gauge x is its mean over the time in which it was known, with x_min and x_max; a counter is its increase.
-- coverage is the share of the window for which the best known gauge was known. Filter on ONE level_seconds.
CREATE OR REPLACE VIEW v1.node_windows AS
SELECT
    level_seconds,
    window_start,
    node,
    max(coverage) AS coverage,
    max(samples)::BIGINT AS samples,
    max(mean) FILTER (measure = 'cpu_usage_ppm') / 1e6 AS cpu_usage_ratio,
    min(least_value) FILTER (measure = 'cpu_usage_ppm') / 1e6 AS cpu_usage_ratio_min,
    max(greatest_value) FILTER (measure = 'cpu_usage_ppm') / 1e6 AS cpu_usage_ratio_max,
    max(mean) FILTER (measure = 'cpu_throttled_ppm') / 1e6 AS cpu_throttled_ratio,
    min(least_value) FILTER (measure = 'cpu_throttled_ppm') / 1e6 AS cpu_throttled_ratio_min,
    max(greatest_value) FILTER (measure = 'cpu_throttled_ppm') / 1e6 AS cpu_throttled_ratio_max,
    max(mean) FILTER (measure = 'load1_milli') / 1e3 AS load1,
    min(least_value) FILTER (measure = 'load1_milli') / 1e3 AS load1_min,
    max(greatest_value) FILTER (measure = 'load1_milli') / 1e3 AS load1_max,
    max(mean) FILTER (measure = 'memory_used_mib') * 1048576 AS memory_used_bytes,
    min(least_value) FILTER (measure = 'memory_used_mib') * 1048576 AS memory_used_bytes_min,
    max(greatest_value) FILTER (measure = 'memory_used_mib') * 1048576 AS memory_used_bytes_max,
    max(mean) FILTER (measure = 'memory_total_mib') * 1048576 AS memory_total_bytes,
    min(least_value) FILTER (measure = 'memory_total_mib') * 1048576 AS memory_total_bytes_min,
    max(greatest_value) FILTER (measure = 'memory_total_mib') * 1048576 AS memory_total_bytes_max,
    max(increase) FILTER (measure = 'page_faults_total')::BIGINT AS page_faults,
    max(increase) FILTER (measure = 'major_page_faults_total')::BIGINT AS major_page_faults,
    max(increase) FILTER (measure = 'network_receive_bytes_total')::BIGINT AS network_receive_bytes,
    max(increase) FILTER (measure = 'network_transmit_bytes_total')::BIGINT AS network_transmit_bytes,
    max(increase) FILTER (measure = 'network_errors_total')::BIGINT AS network_errors,
    max(increase) FILTER (measure = 'network_drops_total')::BIGINT AS network_drops,
    max(increase) FILTER (measure = 'disk_read_bytes_total')::BIGINT AS disk_read_bytes,
    max(increase) FILTER (measure = 'disk_written_bytes_total')::BIGINT AS disk_written_bytes,
    v1.seconds(max(increase) FILTER (measure = 'disk_busy_ns_total')) AS disk_busy_seconds
FROM v1.sample_windows
WHERE kind = 'node'
GROUP BY ALL;
