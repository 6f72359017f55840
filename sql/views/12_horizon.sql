-- One row: the time up to which the warehouse knows what happened: complete_through for what is booked at its moment,
-- settled_through for what is spread back over open requests. The least over the partitions that are not idle; the
-- latest where all are. A partition that has seen no event has no time of its own, and does not count. Without any partition,
-- the last event of a table. facts_from is where requests begin, where retention removed older ones; NULL: it did not.
CREATE OR REPLACE VIEW v1.horizon AS
WITH known AS (
    SELECT
        coalesce(min(complete_through) FILTER (NOT idle), max(complete_through)) AS complete_through,
        coalesce(min(settled_through) FILTER (NOT idle OR open_requests > 0), max(complete_through)) AS settled_through
    FROM v1.progress
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
    last_at,
    (SELECT max("before")::TIMESTAMP FROM main.retention WHERE "table" = 'requests') AS facts_from
FROM known, seen;
