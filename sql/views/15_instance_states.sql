-- One row a state of a boot of an instance, from when to when: starting, ready, draining, then stopped or lost until the
-- instance's next boot. A boot is lost after its last event if it did not say that it stopped, and another boot of the
-- instance followed or a minute of silence (v1.completeness). to_at is NULL while the state lasts; end_known says that
-- the instance itself told the end, not its successor or its silence. unknown: a boot before the first state it told.
CREATE OR REPLACE VIEW v1.instance_states AS
WITH heard AS (
    SELECT instance, boot, max(last_at) AS last_at, bool_or(stopped) AS stopped
    FROM v1.producers
    GROUP BY instance, boot
),
boots AS (
    SELECT
        i.*,
        lead(i.from_at) OVER (PARTITION BY i.instance ORDER BY i.from_at, i.boot) AS next_at,
        h.last_at,
        coalesce(h.stopped, FALSE) AS stopped
    FROM v1.instances i
    LEFT JOIN heard h
        ON h.instance = i.instance
        AND h.boot = i.boot
),
ended AS (
    SELECT
        b.*,
        CASE WHEN end_known THEN to_at END AS stopped_at,
        CASE
            WHEN NOT end_known AND NOT stopped AND (next_at IS NOT NULL OR b.last_at < h.complete_through - INTERVAL 1 MINUTE)
            THEN least(b.last_at, coalesce(next_at, b.last_at))
        END AS lost_at
    FROM boots b, v1.horizon h
),
told AS (
    SELECT
        *,
        coalesce(lost_at, to_at) AS gone_at,
        unnest([
            {
                state: 'unknown', since: from_at,
                next: coalesce(starting_at, ready_at, draining_at), known: coalesce(starting_at, ready_at, draining_at) IS NOT NULL
            },
            {state: 'starting', since: starting_at, next: coalesce(ready_at, draining_at), known: coalesce(ready_at, draining_at) IS NOT NULL},
            {state: 'ready', since: ready_at, next: draining_at, known: draining_at IS NOT NULL},
            {state: 'draining', since: draining_at, next: NULL, known: FALSE},
            {state: 'stopped', since: stopped_at, next: next_at, known: FALSE},
            {state: 'lost', since: lost_at, next: next_at, known: FALSE}
        ], recursive := true)
    FROM ended
),
intervals AS (
    SELECT
        *,
        CASE WHEN state IN ('stopped', 'lost') THEN next ELSE least(coalesce(next, gone_at), coalesce(gone_at, next)) END AS until
    FROM told
    WHERE since IS NOT NULL
)
SELECT
    instance,
    boot,
    state,
    since AS from_at,
    until AS to_at,
    state NOT IN ('stopped', 'lost') AND coalesce(known AND until = next OR until = stopped_at, FALSE) AS end_known,
    v1.seconds_between(since, until) AS seconds,
    role,
    model,
    model_version,
    deployment,
    namespace,
    cluster,
    node,
    pod,
    gpu_type,
    gpus_ppm,
    gpu_uuids
FROM intervals
WHERE until IS NULL OR until > since;
