-- One row a partition: how far its fold has come. consumed = loaded + pending + duplicate + dead.
CREATE OR REPLACE VIEW v1.progress AS
SELECT
    topic,
    partition,
    next_offset,
    replay_offset,
    v1.from_ns(log_clock) AS log_clock,
    v1.from_ns(watermark) AS watermark,
    v1.from_ns(complete_through) AS complete_through,
    v1.from_ns(settled_through) AS settled_through,
    records,
    consumed,
    loaded,
    pending,
    duplicate,
    dead,
    late,
    open AS open_requests
FROM main.progress;
