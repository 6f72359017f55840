-- One row a partition: how far the fold of its log has come, since that log's start. consumed = loaded + pending + duplicate + dead.
-- What the fold went without since then: evicted parts of its state (open requests, lanes, gaps of a lane, instances, series)
-- and requests forgotten before their time, for want of room; other_bookings of requests under __other__ in windows; and
-- stale_samples, which a later one of their series had overtaken, or in which a counter leapt beyond belief.
-- A partition is idle when it was caught up with the broker's high watermark for the idle time, where it stands now (a tick
-- says so). An idle partition does not hold the others' horizons back; one that lags, or whose consumer hangs, does.
-- windows_through: no window that came from the partition begins there or later; v1.recent_request_windows has what follows.
CREATE OR REPLACE VIEW v1.progress AS
SELECT
    p.topic,
    p.partition,
    p.lineage,
    p.next_offset,
    p.replay_offset,
    v1.from_ns(p.log_clock) AS log_clock,
    v1.from_ns(p.watermark) AS watermark,
    v1.from_ns(p.complete_through) AS complete_through,
    v1.from_ns(p.settled_through) AS settled_through,
    v1.from_ns(p.windows_through) AS windows_through,
    p.records,
    p.consumed,
    p.loaded,
    p.pending,
    p.duplicate,
    p.dead,
    p.late,
    p.open AS open_requests,
    coalesce(p.evicted, 0) AS evicted,
    coalesce(p.forgotten, 0) AS forgotten,
    coalesce(p.others, 0) AS other_bookings,
    coalesce(p.stale, 0) AS stale_samples,
    p."offset" IS NOT NULL AS idle
FROM (
    SELECT p.*, t."offset"
    FROM main.progress p
    LEFT JOIN (SELECT DISTINCT topic, partition, lineage, "offset" FROM main.ticks WHERE flush) t
        ON t.topic = p.topic
        AND t.partition = p.partition
        AND t.lineage = p.lineage
        AND t."offset" = p.next_offset
) p;
