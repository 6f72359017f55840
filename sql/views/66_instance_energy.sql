-- One row a boot and quarter of an hour of FROM v1.instance_energy(since, until): the energy of the GPUs that it held, and device_ns, for
-- how much device time that was told. A device that several held at once, or not all the time, is divided by the time and share
-- of each.
CREATE OR REPLACE MACRO v1.instance_energy(since, until) AS TABLE
WITH holders AS (
    SELECT
        e.device, e.window_start, h.instance, h.boot,
        any_value(e.energy_millijoules) AS energy,
        any_value(e.observed_ns) AS observed_ns,
        sum(
            coalesce(h.share_ppm, 1000000)::HUGEINT
            * v1.overlap_ns(h.from_at, coalesce(h.to_at, 'infinity'::TIMESTAMP), e.window_start, e.window_start + INTERVAL 15 MINUTE)
        ) AS part
    FROM v1.device_energy e
    JOIN v1.instance_gpus h
        ON h.device = e.device
        AND h.from_at < e.window_start + INTERVAL 15 MINUTE
        AND coalesce(h.to_at, 'infinity'::TIMESTAMP) > e.window_start
    WHERE e.level_seconds = 900
        AND e.window_start >= since
        AND e.window_start < until
        AND e.energy_millijoules IS NOT NULL
    GROUP BY e.device, e.window_start, h.instance, h.boot
),
shared AS (
    SELECT *, part / greatest(sum(part) OVER (PARTITION BY device, window_start), 900000000000000000::HUGEINT) AS share
    FROM holders
)
SELECT instance, boot, window_start AS quarter, sum(energy * share) AS millijoules, sum(observed_ns * share) AS device_ns
FROM shared
GROUP BY instance, boot, window_start;
