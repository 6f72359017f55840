-- One row: the time up to which the warehouse knows what happened.
-- The least over the partitions that are not idle; one is idle when its log clock is 30 s behind the latest.
-- Without any partition, the last event of a table.
CREATE OR REPLACE VIEW v1.horizon AS
WITH active AS (
    SELECT min(complete_through) AS complete_through, min(settled_through) AS settled_through
    FROM v1.progress
    WHERE log_clock >= (SELECT max(log_clock) FROM v1.progress) - INTERVAL 30 SECONDS
),
seen AS (
    SELECT greatest(
        (SELECT max(finished_at)::TIMESTAMP FROM main.requests),
        (SELECT max("at")::TIMESTAMP FROM main.instance_events)
    ) AS last_at
)
SELECT
    coalesce(complete_through, last_at) AS complete_through,
    coalesce(settled_through, last_at) AS settled_through,
    last_at
FROM active, seen;
