-- Incidents
--
-- Faults and restarts in the order of time, and what they hit: GPU faults (xid with its code, ECC errors, …), instances that
-- went silent without a word (instance_lost) or came again (instance_restart), pods that restarted or were killed for want of
-- memory. instances and models are what the object served at the time; running and waiting are the most requests that
-- these had there in the ten seconds of the event and before it; empty: not known. v1.incidents has the same rows.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; all where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; all where not given.
-- param kind VARCHAR: One kind only, as v1.incidents names it; all where not given.
--
-- optional object_kind, node, waiting, models, code, count, instances
-- horizon complete
-- layer GPU, Kubernetes, availability
WITH events AS (
    SELECT *, row_number() OVER (ORDER BY "at", kind, object, code, node, count) AS place
    FROM v1.incidents
    WHERE v1.in_range("at", $from::TIMESTAMP, $to::TIMESTAMP)
        AND ($kind::VARCHAR IS NULL OR kind = $kind::VARCHAR)
),
hit AS (
    SELECT place, "at", unnest(instances) AS instance
    FROM events
),
-- The window of the event, and the one before: an engine that died in the one spoke last in the other.
load AS (
    SELECT h.place, h.instance, w.dp_index, max(w.running_requests_max) AS running, max(w.waiting_requests_max) AS waiting
    FROM hit h
    JOIN v1.engine_window_deltas w
        ON w.instance = h.instance
        AND w.level_seconds = 10
        AND w.window_start IN (v1.window_of(10, h."at"), v1.window_of(10, h."at") - INTERVAL 10 SECOND)
    GROUP BY h.place, h.instance, w.dp_index
),
loads AS (
    SELECT place, sum(running)::BIGINT AS running, sum(waiting)::BIGINT AS waiting
    FROM load
    GROUP BY place
)
SELECT
    e."at",
    e.kind,
    e.object_kind,
    e.object,
    e.node,
    e.code,
    e.count,
    v1.names(e.instances) AS instances,
    v1.names(e.models) AS models,
    l.running,
    l.waiting
FROM events e
LEFT JOIN loads l USING (place)
ORDER BY e.place;
