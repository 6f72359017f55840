-- What reports about requests begin with.

-- One row a (model, role) of request windows: which role's rows count for what, by the rule of v1.legs, also where the facts
-- have expired. Windows know no deployment: a choice (serve --counting-leg) holds if all deployments of a model made it.
CREATE OR REPLACE VIEW v1.window_legs AS
WITH present AS (
    SELECT model, list(DISTINCT role) AS roles
    FROM v1.request_window_deltas
    WHERE level_seconds = 86400
    GROUP BY model
),
chosen AS (
    SELECT i.model, CASE WHEN count(DISTINCT coalesce(c.role, '')) = 1 THEN max(c.role) END AS role
    FROM v1.instances i
    LEFT JOIN main.counting_legs c ON c.deployment = i.deployment
    GROUP BY i.model
)
SELECT
    p.model,
    unnest(p.roles) AS role,
    v1.first_of([coalesce(c.role, 'gateway'), 'gateway', 'engine', 'decode', 'prefill', 'client'], p.roles) AS counting_role,
    v1.first_of(['engine', 'prefill', 'decode', 'gateway', 'client'], p.roles) AS prompt_role,
    v1.first_of(['engine', 'decode', 'prefill', 'gateway', 'client'], p.roles) AS output_role
FROM present p
LEFT JOIN chosen c ON c.model = p.model;

-- One row: the range that facts are read for, from the first request on and past the last where it is open.
CREATE OR REPLACE MACRO v1.fact_range(since, until) AS TABLE
SELECT coalesce(since::TIMESTAMP, first_at) AS since, coalesce(until::TIMESTAMP, last_at + INTERVAL 1 MICROSECOND) AS until
FROM (
    SELECT min(coalesce(received_at, finished_at)) AS first_at, max(finished_at) AS last_at
    FROM v1.requests
);

-- One row: the range that windows are read for: those that begin in [since, until), a window being 10 s. Where it is open it is
-- that of the windows of requests and engines that are there: the finest ones, of which the oldest may be gone, and coarser ones
-- before them.
CREATE OR REPLACE MACRO v1.window_range(since, until) AS TABLE
WITH levels AS (
    SELECT level, min(window_start)::TIMESTAMP AS first_start, max(window_start)::TIMESTAMP AS last_start
    FROM (
        SELECT level, window_start FROM main.request_windows
        UNION ALL
        SELECT level, window_start FROM main.engine_windows
    )
    GROUP BY level
),
kept AS (
    SELECT
        arg_min(first_start, (first_start + to_seconds(level), level)) AS first_at,
        arg_max(last_start + to_seconds(level), (last_start, -level)) AS last_at
    FROM levels
)
SELECT
    coalesce(v1.window_of(10, since::TIMESTAMP + INTERVAL 9999999 MICROSECONDS), first_at) AS since,
    coalesce(v1.window_of(10, until::TIMESTAMP + INTERVAL 9999999 MICROSECONDS), last_at) AS until
FROM kept;

-- One row: v1.window_range, cut into steps of so many seconds (NULL: about a hundred), and the tier whose windows fit them.
CREATE OR REPLACE MACRO v1.stepped_range(range_from, range_to, range_step) AS TABLE
SELECT
    since,
    until,
    coalesce(range_step::BIGINT, v1.series_step(v1.seconds_between(since, until)))::BIGINT AS step,
    least(
        v1.report_tier(range_from::TIMESTAMP, range_to::TIMESTAMP),
        v1.tier_of_step(coalesce(range_step::BIGINT, v1.series_step(v1.seconds_between(since, until))))
    ) AS tier
FROM v1.window_range(range_from, range_to);

-- v1.requests with the group of each row (v1.request_group), and what it counts for (v1.legs). Of a request's choices the first
-- has the prompt.
CREATE OR REPLACE MACRO v1.grouped_requests(kind, zone := 'UTC') AS TABLE
SELECT
    v1.request_group(
        kind, r.model, r.model_version, r.adapter, r.deployment, r.namespace, r.cluster, r.node, r.pod, r.instance,
        r.gpu_type, r.request_class, r.tenant, r.source, v1.in_zone(r.finished_at, zone)
    ) AS key,
    r.role IS NOT DISTINCT FROM l.counting_role AS counts,
    r.role IS NOT DISTINCT FROM l.prompt_role AS speaks_prompt,
    r.role IS NOT DISTINCT FROM l.prompt_role AND coalesce(r.choice, 0) = 0 AS counts_prompt,
    r.role IS NOT DISTINCT FROM l.output_role AS counts_output,
    r.*
FROM v1.requests r
JOIN v1.legs l
    ON l.deployment IS NOT DISTINCT FROM r.deployment
    AND l.model IS NOT DISTINCT FROM r.model
    AND l.role IS NOT DISTINCT FROM r.role;

-- v1.request_window_deltas of one tier with the group of each row (v1.window_group), and what it counts for (v1.window_legs).
-- Windows count that begin in [since, until); NULL is open.
CREATE OR REPLACE MACRO v1.grouped_windows(kind, tier, since, until) AS TABLE
SELECT
    v1.window_group(kind, d.model, d.model_version, d.adapter, d.instance, d.request_class) AS key,
    d.role IS NOT DISTINCT FROM l.counting_role AS counts,
    d.role IS NOT DISTINCT FROM l.prompt_role AS counts_prompt,
    d.role IS NOT DISTINCT FROM l.output_role AS counts_output,
    d.*
FROM v1.request_window_deltas d
JOIN v1.window_legs l
    ON l.model IS NOT DISTINCT FROM d.model
    AND l.role IS NOT DISTINCT FROM d.role
WHERE d.level_seconds = tier
    AND d.window_start >= coalesce(since::TIMESTAMP, '-infinity'::TIMESTAMP)
    AND d.window_start < coalesce(until::TIMESTAMP, 'infinity'::TIMESTAMP);

-- The role that speaks for each distribution of a model: one row a (model, measure, role).
CREATE OR REPLACE VIEW v1.speaking_roles AS
SELECT DISTINCT coalesce(model, '') AS model, unnest([
    {measure: 'ttft', role: counting_role},
    {measure: 'e2e', role: counting_role},
    {measure: 'queue', role: prompt_role},
    {measure: 'prefill', role: prompt_role},
    {measure: 'prompt_length', role: prompt_role},
    {measure: 'tpot', role: output_role},
    {measure: 'itl', role: output_role},
    {measure: 'decode', role: output_role},
    {measure: 'output_length', role: output_role}
], recursive := true)
FROM v1.window_legs;

-- The percentiles (v1.sketch_percentiles) of some distributions a group, each of the role that speaks for it: a list of measures.
CREATE OR REPLACE MACRO v1.group_percentiles(kind, measures, range_from, range_to) AS TABLE
SELECT *
FROM v1.sketch_percentiles(
    v1.window_group(kind, model, model_version, adapter, instance, request_class),
    list_contains(measures, measure)
        AND (coalesce(model, ''), measure, role) IN (SELECT (s.model, s.measure, s.role) FROM v1.speaking_roles s),
    v1.report_tier(range_from::TIMESTAMP, range_to::TIMESTAMP),
    range_from::TIMESTAMP,
    range_to::TIMESTAMP
);

-- What became of requests a group and step of so many seconds, of the counting leg; with no step (NULL) all at once.
CREATE OR REPLACE MACRO v1.group_outcomes(kind, tier, step, range_from, range_to) AS TABLE
SELECT
    CASE WHEN step IS NOT NULL THEN time_bucket(to_seconds(step), window_start) END AS begins,
    key,
    sum(arrivals)::BIGINT AS arrivals,
    sum(finished)::BIGINT AS requests,
    sum(ok)::BIGINT AS ok,
    sum(errors)::BIGINT AS errors,
    sum(timeouts)::BIGINT AS timeouts,
    sum(rejected)::BIGINT AS rejected,
    sum(cancelled)::BIGINT AS cancelled,
    sum(lost)::BIGINT AS lost,
    sum(unknown_outcome)::BIGINT AS unknown,
    sum(http_4xx)::BIGINT AS http_4xx,
    sum(http_5xx)::BIGINT AS http_5xx
FROM v1.grouped_windows(kind, tier, range_from, range_to)
WHERE counts
GROUP BY ALL;
