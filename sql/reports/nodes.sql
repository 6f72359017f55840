-- Nodes
--
-- What the machines under the engines did: CPU over all cores and its throttling, memory, page faults, network and disk. Means
-- are over the time in which a value was known, max is the greatest sample, rates are over the time of the range, errors and
-- drops are counts. What a source does not say is unknown (empty). A GPU that idles while the CPU is full waits for the
-- tokenizer; one that idles while the network is full waits for data.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first window where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last window where not given.
--
-- unit coverage, cpu, cpu_max, throttled, throttled_max, memory, memory_max, disk_busy: ratio
-- unit page_faults, major_faults: 1/s
-- unit net_rx, net_tx, disk_read, disk_written: B/s
-- unit memory_total: GiB
-- optional memory_total, page_faults, throttled_max, disk_read, disk_written, instances, load1, net_drops, major_faults, memory_max, coverage, cpu_max, disk_busy, net_tx
-- horizon complete
-- layer node
-- chart bars "CPU": cpu, cpu_max, throttled over node
-- chart bars "Memory in use": memory, memory_max over node
-- chart bars "Network": net_rx, net_tx over node
WITH span AS (
    SELECT
        coalesce($from::TIMESTAMP, first_at) AS since,
        coalesce($to::TIMESTAMP, last_at) AS until,
        v1.seconds_between(coalesce($from::TIMESTAMP, first_at), coalesce($to::TIMESTAMP, last_at)) AS seconds
    FROM v1.sample_spans
    WHERE kind = 'node'
),
nodes AS (
    SELECT
        node,
        v1.bigint(sum(greatest(*COLUMNS('_observed_ns$')))) AS known_ns,
        sum(COLUMNS('_(value_ns|observed_ns|increase)$')),
        max(COLUMNS('_max$'))
    FROM v1.node_range(v1.tier_for($from::TIMESTAMP, $to::TIMESTAMP), $from::TIMESTAMP, $to::TIMESTAMP)
    GROUP BY node
),
tenants AS (
    SELECT i.node, v1.names(list(i.instance)) AS instances
    FROM v1.instances i, span s
    WHERE i.from_at < s.until
        AND coalesce(i.to_at, 'infinity'::TIMESTAMP) > s.since
    GROUP BY i.node
)
SELECT
    n.node,
    t.instances,
    v1.covered(n.known_ns, v1.bigint(s.seconds * 1e9)) AS coverage,
    v1.time_mean(n.cpu_usage_ppm_value_ns, n.cpu_usage_ppm_observed_ns) / 1e6 AS cpu,
    n.cpu_usage_ppm_max / 1e6 AS cpu_max,
    v1.time_mean(n.cpu_throttled_ppm_value_ns, n.cpu_throttled_ppm_observed_ns) / 1e6 AS throttled,
    n.cpu_throttled_ppm_max / 1e6 AS throttled_max,
    v1.time_mean(n.load1_milli_value_ns, n.load1_milli_observed_ns) / 1e3 AS load1,
    v1.ratio(
        v1.time_mean(n.memory_used_mib_value_ns, n.memory_used_mib_observed_ns),
        v1.time_mean(n.memory_total_mib_value_ns, n.memory_total_mib_observed_ns)
    ) AS memory,
    v1.ratio(n.memory_used_mib_max, n.memory_total_mib_max) AS memory_max,
    v1.time_mean(n.memory_total_mib_value_ns, n.memory_total_mib_observed_ns) / 1024 AS memory_total,
    v1.ratio(n.page_faults_increase, s.seconds) AS page_faults,
    v1.ratio(n.major_page_faults_increase, s.seconds) AS major_faults,
    v1.ratio(n.network_receive_bytes_increase, s.seconds) AS net_rx,
    v1.ratio(n.network_transmit_bytes_increase, s.seconds) AS net_tx,
    v1.bigint(n.network_errors_increase) AS net_errors,
    v1.bigint(n.network_drops_increase) AS net_drops,
    v1.ratio(n.disk_read_bytes_increase, s.seconds) AS disk_read,
    v1.ratio(n.disk_written_bytes_increase, s.seconds) AS disk_written,
    v1.ratio(n.disk_busy_ns_increase, s.seconds * 1e9) AS disk_busy,
    s.since AS window_from,
    s.until AS window_to
FROM nodes n
CROSS JOIN span s
LEFT JOIN tenants t ON t.node = n.node
ORDER BY n.node NULLS LAST;
