-- Attributing the busy time of instances to requests, a quarter of an hour at a time. Each statement makes a temporary table out
-- of those before it; times are ns since 1970, durations ns, of the coefficients too. A unit is one boot of one data-parallel rank of
-- an instance; a stay is a request's time in the batch, a piece what of a stay lies in one quarter. Running totals go over sorted
-- rows without PARTITION BY, which DuckDB streams; signed differences of them at a piece's own marks are its sums.

-- name: attributed_commit
SELECT coalesce(max(taken), 0), coalesce(arg_max(open_from, taken), 9000000000000000000) FROM attribution

-- name: known_through
SELECT coalesce(epoch_ns(complete_through), 0) FROM v1.horizon

-- name: move_attribution
INSERT INTO attribution VALUES ($1, $2, $3)

-- Rows of new commits, and those of the quarter that had not ended the last time.
-- name: make_changed
CREATE OR REPLACE TEMP TABLE changed AS
SELECT instance, coalesce(dp_index, 0) AS dp_index, epoch_ns(coalesce(scheduled_at, received_at, first_token_at, finished_at)) AS since,
    greatest(epoch_ns(coalesce(last_token_at, finished_at)), epoch_ns(finished_at)) AS until
FROM requests
WHERE (commit > {after} OR finished_at >= make_timestamp_ns({open})) AND commit <= {until}
    AND coalesce(role, 'engine') NOT IN ('gateway', 'client')
UNION ALL
SELECT instance, coalesce(dp_index, 0), epoch_ns("at") - wall_ns, epoch_ns("at")
FROM step_runs
WHERE (commit > {after} OR "at" >= make_timestamp_ns({open})) AND commit <= {until}

-- The boots that hold GPUs, and the ranks that are known of each; ranks share what the boot holds. An instance that never said
-- anything of itself is one boot without ends.
-- name: make_units
CREATE OR REPLACE TEMP TABLE units AS
WITH spoken AS (
    SELECT instance, dp_index FROM changed
    UNION
    SELECT instance, dp_index FROM allocations
    UNION
    SELECT instance, 0 FROM v1.instances WHERE coalesce(role, 'engine') NOT IN ('gateway', 'client')
),
ranks AS (
    SELECT instance, dp_index, rank, max(rank) OVER (PARTITION BY instance) AS ranks
    FROM (SELECT *, row_number() OVER (PARTITION BY instance ORDER BY dp_index) AS rank FROM spoken WHERE instance IS NOT NULL)
),
signs AS (
    SELECT instance, boot, max(last_at) AS last_at FROM producer_coverage GROUP BY instance, boot
)
SELECT
    row_number() OVER (ORDER BY r.instance, r.dp_index, i.from_at, i.boot) AS unit,
    r.instance,
    r.dp_index,
    i.boot,
    i.boot IS NOT NULL AS known,
    i.model,
    i.model_version,
    i.gpu_type,
    i.tensor_parallel,
    i.engine,
    i.engine_version,
    coalesce(epoch_ns(i.from_at), 0) AS from_ns,
    coalesce(epoch_ns(i.ready_at), epoch_ns(i.from_at)) AS ready_ns,
    coalesce(epoch_ns(i.to_at), {through}) AS to_ns,
    -- A boot that went silent and never said that it stopped was down from its last word on, until the next began.
    CASE WHEN i.to_at IS NOT NULL AND NOT i.end_known THEN epoch_ns(s.last_at) END AS silent_ns,
    i.gpus_ppm // r.ranks + CASE WHEN r.rank <= i.gpus_ppm % r.ranks THEN 1 ELSE 0 END AS gpus_ppm
FROM ranks r
LEFT JOIN v1.instances i ON i.instance = r.instance
LEFT JOIN signs s ON s.instance = r.instance AND s.boot = i.boot

-- What the boots hold in each quarter, and what of that is known to be startup or down.
-- name: make_held
CREATE OR REPLACE TEMP TABLE held AS
SELECT unit, instance, dp_index, boot, quarter, gpus_ppm, until, until - since AS held,
    greatest(0, least(until, ready_ns) - since) AS startup,
    greatest(0, until - greatest(since, ready_ns, silent_ns)) * (silent_ns IS NOT NULL)::INT AS down
FROM (
    SELECT *, greatest(from_ns, quarter * {quarter}) AS since, least(to_ns, (quarter + 1) * {quarter}) AS until
    FROM (SELECT *, unnest(range(from_ns // {quarter}, (to_ns - 1) // {quarter} + 1)) AS quarter FROM units WHERE known AND to_ns > from_ns)
)

-- The quarters to attribute: of rows of new commits, of revised requests where they were, of instances that said something new,
-- and those that time has reached.
-- name: make_dirty
CREATE OR REPLACE TEMP TABLE all_dirty AS
WITH said AS (
    SELECT instance, min(epoch_ns("at")) AS since
    FROM instance_events
    WHERE commit > {after} AND commit <= {until} AND coalesce(state, '') <> 'heartbeat'
    GROUP BY instance
),
touched AS (
    SELECT DISTINCT instance, dp_index, unnest(range(since // {quarter}, greatest(since, until - 1) // {quarter} + 1)) AS quarter
    FROM changed
    WHERE since > 0
    UNION
    SELECT g.instance, g.dp_index, epoch_ns(g.quarter) // {quarter}
    FROM request_gpu_time g
    JOIN requests r USING (topic, partition, lineage, "offset", idx)
    WHERE r.commit > {after} AND r.commit <= {until}
    UNION
    SELECT a.instance, a.dp_index, epoch_ns(a.quarter) // {quarter}
    FROM allocations a
    JOIN said s ON s.instance = a.instance AND epoch_ns(a.quarter) + {quarter} > s.since
),
-- A request that seems to outlive its boot ends with it: where that is heard of later, all that it took is divided anew.
outlived AS (
    SELECT u.instance, u.dp_index, unnest(range(r.since // {quarter}, u.to_ns // {quarter} + 1)) AS quarter
    FROM said s
    JOIN units u ON u.instance = s.instance AND u.to_ns >= s.since
    JOIN (
        SELECT instance, coalesce(dp_index, 0) AS dp_index, epoch_ns(coalesce(scheduled_at, received_at, first_token_at, finished_at)) AS since,
            epoch_ns(coalesce(last_token_at, finished_at)) AS until
        FROM requests
        WHERE coalesce(role, 'engine') NOT IN ('gateway', 'client')
    ) r ON r.instance = u.instance AND r.dp_index = u.dp_index AND r.since < u.to_ns AND r.until > u.to_ns
),
-- What is said later of a boot may change quarters before: that it was still starting then, that it had gone silent, what it holds.
differs AS (
    SELECT coalesce(h.instance, a.instance) AS instance, coalesce(h.dp_index, a.dp_index) AS dp_index, coalesce(h.quarter, a.number) AS quarter
    FROM held h
    FULL JOIN (SELECT *, epoch_ns(quarter) // {quarter} AS number, epoch_ns(until) AS until_ns FROM allocations WHERE held_ns IS NOT NULL) a
        ON a.instance = h.instance AND a.dp_index = h.dp_index AND a.boot = h.boot AND a.number = h.quarter
    WHERE (a.until_ns, a.gpus_ppm, a.held_ns, a.startup_ns, a.down_ns) IS DISTINCT FROM (h.until, h.gpus_ppm, h.held, h.startup, h.down)
)
SELECT instance, dp_index, quarter
FROM (FROM touched UNION FROM outlived UNION FROM differs)
WHERE ({whole} = 0 OR (quarter + 1) * {quarter} <= {through})
    -- Where rows were removed for their age, what was attributed by them stays.
    AND quarter * {quarter} >= coalesce((SELECT max(epoch_ns("before")) FROM retention WHERE "table" IN ('requests', 'step_runs')), 0)

-- How many runs and requests lie in each dirty quarter, by its number since 1970.
-- name: dirty_loads
WITH loads AS (
    SELECT epoch_ns("at") // {quarter} AS quarter, count(*) AS n
    FROM step_runs
    WHERE "at" >= (SELECT make_timestamp_ns(min(quarter) * {quarter}) FROM all_dirty)
    GROUP BY ALL
    UNION ALL
    SELECT epoch_ns(finished_at) // {quarter}, 4 * count(*)
    FROM requests
    WHERE finished_at >= (SELECT make_timestamp_ns(min(quarter) * {quarter}) FROM all_dirty)
    GROUP BY ALL
)
SELECT d.quarter, count(DISTINCT (d.instance, d.dp_index)), coalesce(any_value(l.n), 0)::BIGINT
FROM all_dirty d
LEFT JOIN (SELECT quarter, sum(n) AS n FROM loads GROUP BY ALL) l USING (quarter)
GROUP BY d.quarter
ORDER BY d.quarter

-- name: choose_dirty
CREATE OR REPLACE TEMP TABLE dirty AS
FROM all_dirty WHERE quarter >= {first} AND quarter <= {last}

-- The fit of each unit in each dirty quarter, and in no quarter (NULL) the newest of its kind of instance: a quarter keeps the one that
-- it was attributed by first.
-- name: make_fitted
CREATE OR REPLACE TEMP TABLE fitted AS
WITH newest AS (
    SELECT u.unit, arg_max(f.fit, (f.source = 'steps', f.fit)) AS fit
    FROM units u
    JOIN fits f
        ON f.model IS NOT DISTINCT FROM u.model AND f.model_version IS NOT DISTINCT FROM u.model_version
        AND f.gpu_type IS NOT DISTINCT FROM u.gpu_type AND f.tensor_parallel IS NOT DISTINCT FROM u.tensor_parallel
        AND f.engine IS NOT DISTINCT FROM u.engine AND f.engine_version IS NOT DISTINCT FROM u.engine_version
    GROUP BY u.unit
),
chosen AS (
    SELECT u.unit, d.quarter, coalesce(a.fit, n.fit) AS fit
    FROM all_dirty d
    JOIN units u ON u.instance = d.instance AND u.dp_index = d.dp_index
    LEFT JOIN newest n USING (unit)
    LEFT JOIN allocations a
        ON a.instance = u.instance AND a.dp_index = u.dp_index AND a.boot IS NOT DISTINCT FROM u.boot
        AND a.quarter = make_timestamp_ns(d.quarter * {quarter})
    UNION ALL
    SELECT u.unit, NULL, n.fit
    FROM units u
    LEFT JOIN newest n USING (unit)
)
SELECT
    c.unit,
    c.quarter,
    c.fit,
    coalesce(f.pass_fs / 1e6, 1.0) AS a,
    coalesce(f.prompt_token_fs / 1e6, 0.0) AS bp,
    coalesce(f.prompt_context_fs / 1e6, 0.0) AS bx,
    coalesce(f.decode_sequence_fs / 1e6, 0.0) AS bd,
    coalesce(f.kv_token_fs / 1e6, 0.0) AS bk
FROM chosen c
LEFT JOIN fits f ON f.fit = c.fit

-- Runs, cut at the ends of quarters in proportion.
-- name: make_runs
CREATE OR REPLACE TEMP TABLE runs AS
WITH cut AS (
    SELECT u.unit, s.*, epoch_ns(s."at") AS t_end, d.quarter,
        greatest(epoch_ns(s."at") - s.wall_ns, d.quarter * {quarter}) AS t0,
        least(epoch_ns(s."at"), (d.quarter + 1) * {quarter}) AS t1
    FROM dirty d
    JOIN step_runs s
        ON s.instance = d.instance AND coalesce(s.dp_index, 0) = d.dp_index
        AND epoch_ns(s."at") > d.quarter * {quarter} AND epoch_ns(s."at") - s.wall_ns < (d.quarter + 1) * {quarter}
    JOIN units u
        ON u.instance = d.instance AND u.dp_index = d.dp_index AND epoch_ns(s."at") > u.from_ns AND epoch_ns(s."at") <= u.to_ns
    WHERE s.wall_ns > 0 AND s.passes > 0 AND coalesce(s.rank_index, 0) = 0 AND s.commit <= {until}
        AND s."at" > make_timestamp_ns({since}) AND s."at" < make_timestamp_ns({before})
)
SELECT
    unit,
    quarter,
    t1 - (t1 - t0) // passes // 2 AS mid,
    t1 - t0 AS tau,
    (t1 - t0) / wall_ns * passes AS n,
    (t1 - t0) / wall_ns * coalesce(prefill_tokens, 0) AS p,
    (t1 - t0) / wall_ns * coalesce(prefill_context_twice, 0) / 2 AS x,
    (t1 - t0) / wall_ns * coalesce(decode_tokens, 0) AS d,
    (t1 - t0) / wall_ns * coalesce(decode_sequences, decode_tokens, 0) AS nd,
    (t1 - t0) / wall_ns * coalesce(kv_tokens_read, 0) AS k,
    (t1 - t0) / wall_ns * coalesce(prefill_sequences, 0) AS np
FROM cut

-- The requests that have anything in the quarters: known in two parts, as a scan can leave out what was scheduled later.
-- name: show_near
CREATE OR REPLACE TEMP VIEW near_requests AS
FROM requests
WHERE coalesce(role, 'engine') NOT IN ('gateway', 'client') AND commit <= {until}
    AND finished_at >= make_timestamp_ns({since}) AND scheduled_at < make_timestamp_ns({before})
UNION ALL
FROM requests
WHERE coalesce(role, 'engine') NOT IN ('gateway', 'client') AND commit <= {until}
    AND finished_at >= make_timestamp_ns({since}) AND scheduled_at IS NULL
    AND coalesce(received_at, first_token_at, finished_at) < make_timestamp_ns({before})

-- Requests of the same dimensions, in a fixed order.
-- name: make_groups
CREATE OR REPLACE TEMP TABLE groups AS
SELECT row_number() OVER (ORDER BY model, model_version, adapter, request_class, tenant, outcome, probe, retry) AS grp, *
FROM (
    SELECT DISTINCT model, model_version, adapter, request_class, tenant, coalesce(outcome, 'unknown') AS outcome, coalesce(probe, FALSE) AS probe,
        coalesce(retry, FALSE) AS retry
    FROM near_requests
)

-- Requests as they sat in the batch, once for each time. Without a mark of its own, scheduling was as long before the first token as
-- the prompt takes, or, where that is not known, when the request came; without a first token, a request that ended well computed
-- its prompt first, for as long as that takes or, where that is not known, for its share of the tokens. u prompt tokens computed, x Σ p·(c + p/2) over them, ux the part of x that is reading what was cached, output the
-- tokens made, n those after the first. A stay after a preemption computes anew what was there, and has no mark of its first token.
-- name: make_stays
CREATE OR REPLACE TEMP TABLE stays AS
WITH told AS (
    SELECT
        topic, partition, lineage, "offset", idx, instance, coalesce(dp_index, 0) AS dp_index, boot, request_id, g.grp, g.outcome,
        coalesce(attempt, 0) AS attempt, coalesce(choice, 0) AS choice, coalesce(preemptions, 0) AS preemptions,
        epoch_ns(received_at) AS received,
        epoch_ns(scheduled_at) AS scheduled,
        epoch_ns(first_token_at) AS first_token,
        epoch_ns(coalesce(last_token_at, finished_at)) AS last_token,
        epoch_ns(client_gone_at) AS gone,
        coalesce(prompt_tokens, 0) AS prompt,
        coalesce(cached_local_tokens, 0) + coalesce(cached_external_tokens, 0) + coalesce(cached_host_tokens, 0) AS cached_said,
        coalesce(output_tokens, output_seen_tokens, 0) AS output,
        greatest(0, coalesce(drafted_tokens, 0) - coalesce(accepted_tokens, 0)) AS rejected
    FROM near_requests r
    JOIN groups g
        ON g.model IS NOT DISTINCT FROM r.model AND g.model_version IS NOT DISTINCT FROM r.model_version
        AND g.adapter IS NOT DISTINCT FROM r.adapter AND g.request_class IS NOT DISTINCT FROM r.request_class
        AND g.tenant IS NOT DISTINCT FROM r.tenant AND g.outcome = coalesce(r.outcome, 'unknown')
        AND g.probe = coalesce(r.probe, FALSE) AND g.retry = coalesce(r.retry, FALSE)
),
marked AS (
    SELECT instance, coalesce(dp_index, 0) AS dp_index, boot, request_id, coalesce(attempt, 0) AS attempt, coalesce(choice, 0) AS choice,
        phase, occurrence, min(epoch_ns("at")) AS at_ns, max(output_tokens) AS output, max(prefilled_tokens) AS prefilled, max(cached_local_tokens) AS cached
    FROM request_marks
    GROUP BY ALL
),
-- Where each stay ended, and where the next began: preemption k, then scheduling k + 1.
cuts AS (
    SELECT t.topic, t.partition, t.lineage, t."offset", t.idx, p.occurrence,
        p.at_ns AS left_at, s.at_ns AS back_at, coalesce(s.cached, 0) AS cached_then, p.prefilled,
        least(t.output, coalesce(p.output, CASE WHEN p.at_ns <= t.first_token THEN 0 ELSE t.output * (p.at_ns - t.first_token) // greatest(1, t.last_token - t.first_token) END)) AS made
    FROM told t
    JOIN marked p
        ON p.instance = t.instance AND p.dp_index = t.dp_index AND p.boot = t.boot AND p.request_id = t.request_id AND p.attempt = t.attempt
        AND p.choice = t.choice AND p.phase = 'preempted' AND p.at_ns >= t.scheduled AND p.at_ns <= t.last_token
    LEFT JOIN marked s
        ON s.instance = t.instance AND s.dp_index = t.dp_index AND s.boot = t.boot AND s.request_id = t.request_id AND s.attempt = t.attempt
        AND s.choice = t.choice AND s.phase = 'scheduled' AND s.occurrence = p.occurrence + 1 AND s.at_ns <= t.last_token
    WHERE t.preemptions > 0
),
stretches AS (
    SELECT *,
        lead(left_at) OVER of_request AS next_left, coalesce(lead(made) OVER of_request, -1) AS next_made, lead(prefilled) OVER of_request AS next_prefilled,
        row_number() OVER of_request AS stretch
    FROM cuts
    WINDOW of_request AS (PARTITION BY topic, partition, lineage, "offset", idx ORDER BY occurrence)
),
all_stays AS (
    SELECT t.*, 0 AS repeat, t.scheduled AS s0, least(coalesce(t.first_token, c.left_at), c.left_at) AS f0, coalesce(c.left_at, t.last_token) AS e0,
        -- One that was preempted within its prompt had computed a part of it.
        CASE WHEN t.choice = 0 THEN CASE WHEN c.made = 0 THEN least(t.prompt, coalesce(c.prefilled, t.prompt)) ELSE t.prompt END ELSE 0 END AS computes,
        least(t.cached_said, t.prompt) AS cached, coalesce(c.made, t.output) AS tokens, c.left_at IS NULL AS last_stay, 0.0 AS again
    FROM told t
    LEFT JOIN stretches c
        ON c.stretch = 1 AND t.preemptions > 0
        AND c.topic = t.topic AND c.partition = t.partition AND c.lineage = t.lineage AND c."offset" = t."offset" AND c.idx = t.idx
    UNION ALL
    SELECT t.*, c.stretch, c.back_at, CASE WHEN c.made = 0 THEN t.first_token END, coalesce(c.next_left, t.last_token),
        CASE WHEN c.next_made = c.made THEN least(t.prompt + c.made, coalesce(c.next_prefilled, t.prompt + c.made)) ELSE t.prompt + c.made END,
        least(c.cached_then, t.prompt + c.made),
        CASE WHEN c.next_made >= 0 THEN c.next_made ELSE t.output END - c.made, c.next_left IS NULL,
        least(1.0, coalesce(c.prefilled, t.prompt + c.made) / greatest(1.0, t.prompt + c.made))
    FROM told t
    JOIN stretches c
        ON c.topic = t.topic AND c.partition = t.partition AND c.lineage = t.lineage AND c."offset" = t."offset" AND c.idx = t.idx
    WHERE c.back_at IS NOT NULL
),
ended_by AS (
    SELECT u.unit, epoch_ns(a.quarter) // {quarter} AS quarter, f.*
    FROM allocations a
    JOIN units u ON u.instance = a.instance AND u.dp_index = a.dp_index AND u.boot IS NOT DISTINCT FROM a.boot
    JOIN fits f ON f.fit = a.fit
    WHERE a.quarter >= make_timestamp_ns({since})
),
worked AS (
    SELECT a.*, u.unit, u.to_ns, coalesce(k.pass_fs / 1e6, f.a) AS a, coalesce(k.prompt_token_fs / 1e6, f.bp) AS bp,
        coalesce(k.prompt_context_fs / 1e6, f.bx) AS bx, coalesce(k.fit, f.fit) IS NOT NULL AS has_fit,
        least(a.cached, a.computes) AS c,
        a.computes - least(a.cached, a.computes) AS u,
        (a.computes::DOUBLE * a.computes - least(a.cached, a.computes)::DOUBLE * least(a.cached, a.computes)) / 2 AS x,
        least(a.cached, a.computes)::DOUBLE * (a.computes - least(a.cached, a.computes)) AS ux
    FROM all_stays a
    JOIN units u
        ON u.instance = a.instance AND u.dp_index = a.dp_index
        AND coalesce(s0, first_token, last_token) >= u.from_ns AND coalesce(s0, first_token, last_token) < u.to_ns
    JOIN fitted f ON f.unit = u.unit AND f.quarter IS NULL
    -- All quarters of a stay must place it alike: by the fit of the one in which it ended, once that has one.
    LEFT JOIN ended_by k ON k.unit = u.unit AND k.quarter = a.last_token // {quarter}
),
timed AS (
    SELECT *,
        (a + bp * u + bx * x)::BIGINT AS prompt_takes,
        CASE
            WHEN s0 IS NOT NULL THEN s0
            -- One that ended badly before anything was computed for it took no time.
            WHEN first_token IS NULL AND outcome <> 'ok' THEN last_token
            WHEN first_token IS NOT NULL AND has_fit THEN greatest(coalesce(received, 0), first_token - (a + bp * u + bx * x)::BIGINT)
            ELSE coalesce(received, first_token, last_token)
        END AS s
    FROM worked
),
bounded AS (
    SELECT *,
        least(coalesce(e0, first_token, s), to_ns) AS until,
        least(CASE
            WHEN f0 IS NOT NULL THEN f0
            WHEN repeat > 0 THEN s + prompt_takes
            WHEN outcome <> 'ok' THEN last_token
            WHEN has_fit THEN s + prompt_takes
            ELSE s + (greatest(0, last_token - s)::HUGEINT * u // greatest(1, u + tokens))::BIGINT
        END, coalesce(e0, first_token, s), to_ns) AS filled
    FROM timed
)
SELECT
    row_number() OVER (ORDER BY unit, partition, "offset", idx, lineage, repeat, topic) AS stay,
    unit, grp, topic, partition, lineage, "offset", idx, gone, repeat, last_stay,
    greatest(prompt, computes) AS context, c AS cached, u, x, ux, tokens AS output,
    CASE WHEN repeat = 0 AND choice = 0 THEN prompt - least(cached_said, prompt) ELSE 0 END AS counts_uncached,
    CASE WHEN repeat = 0 AND choice = 0 THEN least(cached_said, prompt) ELSE 0 END AS counts_cached,
    rejected, again,
    greatest(tokens - 1, 0) AS n,
    least(s, filled) AS s,
    greatest(filled, least(s, filled)) AS f,
    greatest(filled, until, least(s, filled)) AS e
FROM bounded

-- name: make_pieces
CREATE OR REPLACE TEMP TABLE pieces AS
WITH cut AS (
    SELECT s.*, u.instance, u.dp_index, unnest(range(s.s // {quarter}, greatest(s.s, s.e - 1) // {quarter} + 1)) AS quarter
    FROM stays s
    JOIN units u USING (unit)
)
SELECT
    row_number() OVER () AS piece,
    c.* EXCLUDE (instance, dp_index),
    greatest(s, quarter * {quarter}) AS ps,
    least(f, (quarter + 1) * {quarter}) AS pf,
    greatest(f, quarter * {quarter}) AS df,
    least(e, (quarter + 1) * {quarter}) AS de
FROM cut c
SEMI JOIN dirty d ON d.instance = c.instance AND d.dp_index = c.dp_index AND d.quarter = c.quarter

-- step_shapley: of each pass every sequence bears an equal part of what the pass takes anyhow, its own work, and all in proportion
-- to what the pass really took. A prompt's own work went at the mean speed of the passes that it was in; of one that several prompts
-- shared, each had about an equal part, so it counts that much less.
-- name: make_step_marks
CREATE OR REPLACE TEMP TABLE marks AS
WITH loads AS (
    SELECT r.*, f.a, f.bd, f.bp * p + f.bx * x AS h, (nd + np) / n AS b,
        tau / (f.a * n + f.bp * p + f.bx * x + f.bd * d + f.bk * k) AS r
    FROM runs r
    JOIN fitted f USING (unit, quarter)
),
stepped AS (
    SELECT DISTINCT unit, quarter FROM runs
)
SELECT unit, mid AS t, 0::TINYINT AS kind, NULL::BIGINT AS piece,
    CASE WHEN nd > 0 THEN r * n * (a / b + bd * d / nd) ELSE 0 END AS decode_fixed,
    CASE WHEN np > 0 THEN r * n * a / b ELSE 0 END AS prefill_fixed,
    CASE WHEN nd > 0 THEN r * n * d / nd ELSE 0 END AS decode_passes,
    CASE WHEN np > 0 THEN r * h * n / np ELSE 0 END AS prefill_done,
    CASE WHEN np > 0 THEN h * n / np ELSE 0 END AS prefill_modelled
FROM loads
UNION ALL
SELECT p.unit, ps, 3, piece, 0, 0, 0, 0, 0 FROM pieces p JOIN stepped USING (unit, quarter) WHERE pf > ps
UNION ALL
SELECT p.unit, CASE WHEN pf > ps THEN pf ELSE df END, 2, piece, 0, 0, 0, 0, 0 FROM pieces p JOIN stepped USING (unit, quarter)
UNION ALL
SELECT p.unit, de, 1, piece, 0, 0, 0, 0, 0 FROM pieces p JOIN stepped USING (unit, quarter) WHERE n > 0 AND de > df
ORDER BY unit, t, kind, piece

-- name: make_step_shares
CREATE OR REPLACE TEMP TABLE shares AS
WITH sums AS (
    SELECT piece, kind,
        sum(decode_fixed) OVER w AS sum_decode, sum(prefill_fixed) OVER w AS sum_prefill, sum(decode_passes) OVER w AS sum_passes,
        sum(prefill_done) OVER w AS sum_done, sum(prefill_modelled) OVER w AS sum_modelled
    FROM marks
    WINDOW w AS (ROWS UNBOUNDED PRECEDING)
),
-- One row a kind: max picks it, so that no sum of DOUBLE depends on the order of rows.
met AS (
    SELECT piece,
        max(sum_decode) FILTER (kind = 1) - max(sum_decode) FILTER (kind = 2) AS decode_fixed,
        max(sum_passes) FILTER (kind = 1) - max(sum_passes) FILTER (kind = 2) AS decode_passes,
        max(sum_prefill) FILTER (kind = 2) - max(sum_prefill) FILTER (kind = 3) AS prefill_fixed,
        max(sum_done) FILTER (kind = 2) - max(sum_done) FILTER (kind = 3) AS done,
        max(sum_modelled) FILTER (kind = 2) - max(sum_modelled) FILTER (kind = 3) AS modelled
    FROM sums
    WHERE piece IS NOT NULL
    GROUP BY piece
)
SELECT
    piece,
    'step_shapley' AS method,
    coalesce(prefill_fixed, 0) + part * (f.bp * u + f.bx * (x - ux)) * coalesce(done / nullif(modelled, 0), 1) AS prefill,
    part * f.bx * ux * coalesce(done / nullif(modelled, 0), 1) AS cached,
    CASE
        WHEN n > 0 AND de > df
        THEN coalesce(decode_fixed + f.bk * decode_passes * (context + n * ((df - f_ns) + (de - df) / 2.0) / (e - f_ns) + 0.5), 0)
        ELSE 0
    END AS decode
FROM met
JOIN (SELECT *, f AS f_ns, CASE WHEN pf > ps THEN (pf - ps) / (f - s) ELSE 0 END AS part FROM pieces) p USING (piece)
JOIN fitted f ON f.unit = p.unit AND f.quarter = p.quarter

-- interval_shapley: the same between the marks of requests, where passes are not known. h is own prompt work per time of its
-- window, v own tokens per time, z what a pass without prompts takes.
-- name: make_interval_marks
CREATE OR REPLACE TEMP TABLE bounds AS
WITH stepped AS (
    SELECT DISTINCT unit, quarter FROM runs
),
own AS (
    SELECT p.*, c.a, c.bp, c.bx, c.bd, c.bk,
        (bp * u + bx * x) / greatest(f - s, 1000) AS h,
        CASE WHEN u > 0 AND bp * u + bx * x > 0 THEN bx * ux / (bp * u + bx * x) ELSE 0 END AS cached_part,
        CASE WHEN n > 0 AND e > f THEN n / (e - f) ELSE 0 END AS v,
        CASE WHEN pf > ps THEN ps ELSE df END AS t2,
        CASE WHEN pf > ps THEN pf ELSE df END AS t1,
        CASE WHEN de > df THEN de WHEN pf > ps THEN pf ELSE df END AS t0,
        quarter * {quarter} AS origin
    FROM pieces p
    ANTI JOIN stepped USING (unit, quarter)
    JOIN fitted c USING (unit, quarter)
)
SELECT unit, quarter, piece, kind, t, h, cached_part, a, bd, bk,
    bk * (context + n * ((df - f) + greatest(de - df, 0) / 2.0) / greatest(e - f, 1) + 0.5) AS reading,
    CASE kind WHEN 2 THEN 1 WHEN 0 THEN -1 ELSE 0 END AS present,
    CASE kind WHEN 1 THEN 1 WHEN 0 THEN -1 ELSE 0 END * (n > 0)::INT AS decoding,
    CASE kind WHEN 1 THEN 1 WHEN 0 THEN -1 ELSE 0 END * (n > 0)::INT * (context + 0.5 + v * (origin - f)) AS c0,
    CASE kind WHEN 1 THEN 1 WHEN 0 THEN -1 ELSE 0 END * v AS c1,
    CASE kind WHEN 2 THEN h WHEN 1 THEN -h ELSE 0 END * (t1 > t2)::INT AS prefilling
FROM (
    SELECT *, unnest([0, 1, 2])::TINYINT AS kind, unnest([t0, t1, t2]) - origin AS t
    FROM own
)
ORDER BY unit, quarter, t, kind, piece

-- name: make_intervals
CREATE OR REPLACE TEMP TABLE intervals AS
WITH running AS (
    SELECT *,
        lead(t) OVER () AS next_t, lead(unit) OVER () AS next_unit, lead(quarter) OVER () AS next_quarter,
        sum(present) OVER w AS present_now, sum(decoding) OVER w AS decoding_now,
        sum(c0) OVER w AS c0_now, sum(c1) OVER w AS c1_now, sum(prefilling) OVER w AS work_now
    FROM bounds
    WINDOW w AS (ROWS UNBOUNDED PRECEDING)
)
SELECT
    row_number() OVER () AS row,
    unit, quarter, piece, kind, reading, h, cached_part, a, bd,
    t // {block} AS block,
    present_now,
    CASE WHEN next_unit = unit AND next_quarter = quarter AND present_now > 0 THEN next_t - t ELSE 0 END AS dt,
    greatest(c1_now, 0) / greatest(decoding_now, 1) AS passes_per_ns,
    decoding_now,
    CASE WHEN work_now > 1e-9 THEN work_now ELSE 0 END AS rho,
    a + bd * decoding_now + CASE WHEN decoding_now > 0 THEN bk * greatest(c0_now + c1_now * (t + coalesce(next_t, t)) / 2, 0) ELSE 0 END AS z
FROM running

-- name: make_interval_shares
CREATE OR REPLACE TEMP TABLE interval_shares AS
WITH speeds AS (
    -- At the speed that is sought, the time left by prompts holds as many passes as tokens were made: Σ decoding · (1/speed - rho) / z · dt
    -- of them. Rounded before it is summed: a sum of DOUBLE depends on the order of the rows.
    SELECT unit, quarter, block,
        sum(round(decoding_now * dt / z * 1e6)::HUGEINT)::DOUBLE
            / nullif(sum(round(decoding_now * dt * (passes_per_ns + rho / z) * 1e6)::HUGEINT)::DOUBLE, 0) AS speed
    FROM intervals
    GROUP BY ALL
),
worked AS (
    -- Work is of prompts: where there are none it would only make the running sums great, and what is told apart by them rough.
    SELECT i.*, CASE WHEN rho > 0 THEN coalesce(s.speed, 1) * dt ELSE 0 END AS work, (1 - coalesce(s.speed, 1) * rho) / z * dt AS passes
    FROM intervals i
    LEFT JOIN speeds s USING (unit, quarter, block)
    ORDER BY i.row
),
sums AS (
    SELECT piece, kind, reading, h, cached_part,
        sum(passes * (a / greatest(present_now, 1) + bd)) OVER w - passes * (a / greatest(present_now, 1) + bd) AS sum_decode,
        sum(passes * a / greatest(present_now, 1)) OVER w - passes * a / greatest(present_now, 1) AS sum_fixed,
        sum(passes) OVER w - passes AS sum_passes,
        sum(work) OVER w - work AS sum_work
    FROM worked
    WINDOW w AS (ROWS UNBOUNDED PRECEDING)
),
met AS (
    SELECT piece, any_value(reading) AS reading, any_value(h) AS h, any_value(cached_part) AS cached_part,
        max(sum_fixed) FILTER (kind = 1) - max(sum_fixed) FILTER (kind = 2) AS fixed,
        max(sum_work) FILTER (kind = 1) - max(sum_work) FILTER (kind = 2) AS work,
        max(sum_decode) FILTER (kind = 0) - max(sum_decode) FILTER (kind = 1) AS decode,
        max(sum_passes) FILTER (kind = 0) - max(sum_passes) FILTER (kind = 1) AS passes
    FROM sums
    GROUP BY piece
)
SELECT
    piece,
    CASE WHEN f.fit IS NULL THEN 'wall_equal_share' ELSE 'interval_shapley' END AS method,
    fixed + h * (1 - cached_part) * work AS prefill,
    h * cached_part * work AS cached,
    CASE WHEN n > 0 THEN decode + reading * passes ELSE 0 END AS decode
FROM met
JOIN pieces p USING (piece)
JOIN fitted f USING (unit, quarter)

-- The time of each unit in each quarter: what is held is startup, busy, idle and down. Of an instance that never said what it holds
-- only busy is known.
-- name: make_allocations
CREATE OR REPLACE TEMP TABLE made_allocations AS
WITH busy AS (
    SELECT unit, quarter, sum(tau)::BIGINT AS busy, 'step_shapley' AS method FROM runs GROUP BY ALL
    UNION ALL
    SELECT i.unit, i.quarter, sum(i.dt)::BIGINT, CASE WHEN any_value(f.fit) IS NULL THEN 'wall_equal_share' ELSE 'interval_shapley' END
    FROM intervals i
    JOIN fitted f USING (unit, quarter)
    GROUP BY ALL
),
parts AS (
    SELECT h.* FROM held h SEMI JOIN dirty d ON d.instance = h.instance AND d.dp_index = h.dp_index AND d.quarter = h.quarter
    UNION ALL
    SELECT u.unit, u.instance, u.dp_index, u.boot, d.quarter, u.gpus_ppm, least(u.to_ns, (d.quarter + 1) * {quarter}), NULL, NULL, NULL
    FROM dirty d
    JOIN units u ON u.instance = d.instance AND u.dp_index = d.dp_index AND NOT u.known
),
worked AS (
    SELECT p.*, b.method, CASE WHEN p.held IS NULL THEN b.busy ELSE least(coalesce(b.busy, 0), p.held - p.startup - p.down) END AS busy
    FROM parts p
    LEFT JOIN busy b USING (unit, quarter)
    WHERE p.held IS NOT NULL OR b.busy IS NOT NULL
)
SELECT w.*, w.held - w.startup - w.busy - w.down AS idle, CASE WHEN w.method IS NOT NULL THEN f.fit END AS fit
FROM worked w
JOIN fitted f USING (unit, quarter)

-- Each request's parts laid side by side in the busy time of its unit and quarter, by group, phase and place on the log, in whole
-- nanoseconds by cumulative rounding; parts that come to more than busy are scaled down, less stays unattributed. Of each group the sums
-- of a phase lie before those of the next, so one running sum a phase says where a piece's part begins.
-- name: make_amounts
CREATE OR REPLACE TEMP TABLE amounts AS
SELECT *, sum(p) OVER w AS p_end, sum(c) OVER w AS c_end, sum(d) OVER w AS d_end
FROM (
    SELECT p.unit, p.quarter, p.grp, p.stay, p.piece,
        round(greatest(s.prefill, 0))::BIGINT AS p, round(greatest(s.cached, 0))::BIGINT AS c, round(greatest(s.decode, 0))::BIGINT AS d
    FROM (FROM shares UNION ALL FROM interval_shares) s
    JOIN pieces p USING (piece)
    ORDER BY p.unit, p.quarter, p.grp, p.stay
)
WINDOW w AS (ROWS UNBOUNDED PRECEDING)

-- name: make_spans
CREATE OR REPLACE TEMP TABLE spans AS
WITH of_group AS (
    SELECT unit, quarter, grp, min(p_end - p) AS p_from, min(c_end - c) AS c_from, min(d_end - d) AS d_from,
        sum(p) AS p_sum, sum(c) AS c_sum, sum(d) AS d_sum
    FROM amounts
    GROUP BY ALL
),
placed AS (
    SELECT *, sum(p_sum + c_sum + d_sum) OVER (PARTITION BY unit, quarter ORDER BY grp) - p_sum - c_sum - d_sum AS before,
        sum(p_sum + c_sum + d_sum) OVER (PARTITION BY unit, quarter) AS total
    FROM of_group
),
-- What a phase's running sum is ahead of where its parts lie.
shifted AS (
    SELECT g.unit, g.quarter, g.grp, greatest(g.total, a.busy)::BIGINT AS whole, a.busy,
        (p_from - before)::BIGINT AS p_shift, (c_from - before - p_sum)::BIGINT AS c_shift, (d_from - before - p_sum - c_sum)::BIGINT AS d_shift
    FROM placed g
    JOIN made_allocations a USING (unit, quarter)
)
SELECT
    a.unit, a.quarter, a.grp, a.piece,
    v1.whole_part(busy, (p_end - p)::BIGINT - p_shift, whole) AS prefill_from,
    v1.whole_part(busy, p_end::BIGINT - p_shift, whole) AS prefill_to,
    v1.whole_part(busy, (c_end - c)::BIGINT - c_shift, whole) AS cached_from,
    v1.whole_part(busy, c_end::BIGINT - c_shift, whole) AS cached_to,
    v1.whole_part(busy, (d_end - d)::BIGINT - d_shift, whole) AS decode_from,
    v1.whole_part(busy, d_end::BIGINT - d_shift, whole) AS decode_to
FROM amounts a
JOIN shifted s ON s.unit = a.unit AND s.quarter = a.quarter AND s.grp = a.grp

-- What a piece books: tokens by cumulative rounding over the time in which they were made, the request where it ends.
-- name: make_booked
CREATE OR REPLACE TEMP TABLE booked AS
WITH cut AS (
    SELECT p.*, s.* EXCLUDE (unit, quarter, grp, piece), c.bd,
        greatest(p.s, p.f - 1) // {quarter} = p.quarter AS has_first,
        greatest(p.s, p.e - 1) // {quarter} = p.quarter AS has_end,
        CASE WHEN p.f > p.s AND p.pf > p.ps THEN p.ps - p.s ELSE 0 END AS prefill_since,
        CASE WHEN p.f > p.s AND p.pf > p.ps THEN p.pf - p.s WHEN p.f = p.s AND greatest(p.s, p.f - 1) // {quarter} = p.quarter THEN 1 ELSE 0 END AS prefill_until,
        greatest(p.f - p.s, 1) AS prefill_time
    FROM pieces p
    JOIN spans s USING (piece)
    JOIN fitted c ON c.unit = p.unit AND c.quarter = p.quarter
)
SELECT
    piece, unit, quarter, grp, topic, partition, lineage, "offset", idx,
    prefill_from, prefill_to - prefill_from AS prefill,
    cached_from, cached_to - cached_from AS cached_read,
    decode_from, decode_to - decode_from AS decode,
    v1.whole_part(counts_uncached, prefill_until, prefill_time) - v1.whole_part(counts_uncached, prefill_since, prefill_time) AS uncached_tokens,
    v1.whole_part(counts_cached, prefill_until, prefill_time) - v1.whole_part(counts_cached, prefill_since, prefill_time) AS cached_tokens,
    (CASE WHEN has_first AND output > 0 THEN 1 ELSE 0 END
        + CASE
            WHEN de > df AND e > f THEN v1.whole_part(n, de - f, e - f) - v1.whole_part(n, df - f, e - f)
            WHEN e <= f AND has_first THEN n
            ELSE 0
        END)::BIGINT AS output_tokens,
    (has_end AND last_stay)::BIGINT AS ended,
    (again * (prefill_to - prefill_from))::BIGINT AS recomputed,
    CASE WHEN e > f AND de > df THEN least(decode_to - decode_from, (rejected * bd * (de - df) / (e - f))::BIGINT) ELSE 0 END AS rejected_draft,
    CASE WHEN gone IS NOT NULL AND de > df THEN v1.whole_part(decode_to - decode_from, greatest(0, de - greatest(df, gone)), de - df) ELSE 0 END
        + CASE WHEN gone IS NOT NULL AND pf > ps THEN v1.whole_part(prefill_to - prefill_from, greatest(0, pf - greatest(ps, gone)), pf - ps) ELSE 0 END
        AS after_gone
FROM cut

-- name: keep_sealed_dirty
INSERT INTO {kept} BY NAME
SELECT t.*, {commit} AS replaced
FROM {table} t
SEMI JOIN dirty d ON t.instance = d.instance AND t.dp_index = d.dp_index AND t.quarter = make_timestamp_ns(d.quarter * {quarter})
WHERE t.commit <= (SELECT max(commit) FROM seals)

-- name: delete_dirty
DELETE FROM {table} t
USING dirty d
WHERE t.instance = d.instance AND t.dp_index = d.dp_index AND t.quarter = make_timestamp_ns(d.quarter * {quarter})

-- name: insert_allocations
INSERT INTO allocations
SELECT make_timestamp_ns(a.quarter * {quarter}), a.instance, a.dp_index, a.boot, a.gpus_ppm, a.held, a.startup, a.busy, a.idle, a.down,
    a.busy - coalesce(b.attributed, 0), a.method, a.fit, make_timestamp_ns(a.until), {commit}
FROM made_allocations a
LEFT JOIN (SELECT unit, quarter, sum(prefill + cached_read + decode)::BIGINT AS attributed FROM booked GROUP BY ALL) b USING (unit, quarter)
ORDER BY a.unit, a.quarter

-- name: insert_request_gpu_time
INSERT INTO request_gpu_time
SELECT make_timestamp_ns(b.quarter * {quarter}), u.instance, u.dp_index, u.boot, b.topic, b.partition, b.lineage, b."offset", b.idx,
    b.prefill_from, b.prefill, b.cached_from, b.cached_read, b.decode_from, b.decode,
    b.uncached_tokens, b.cached_tokens, b.output_tokens, b.ended, {commit}
FROM booked b
JOIN units u USING (unit)
ORDER BY b.unit, b.quarter, b.grp, b.topic, b.partition, b.lineage, b."offset", b.idx

-- name: insert_charges
INSERT INTO charges
SELECT make_timestamp_ns(b.quarter * {quarter}), u.instance, u.dp_index, u.boot,
    g.model, g.model_version, g.adapter, g.request_class, g.tenant, g.outcome, g.probe, g.retry,
    b.requests, b.uncached_tokens, b.cached_tokens, b.output_tokens,
    b.prefill_from, b.prefill, b.cached_from, b.cached_read, b.decode_from, b.decode, b.after_gone, b.recomputed, b.rejected_draft, {commit}
FROM (
    SELECT unit, quarter, grp,
        sum(ended)::BIGINT AS requests, sum(uncached_tokens)::BIGINT AS uncached_tokens, sum(cached_tokens)::BIGINT AS cached_tokens,
        sum(output_tokens)::BIGINT AS output_tokens,
        min(prefill_from) AS prefill_from, sum(prefill)::BIGINT AS prefill,
        min(cached_from) AS cached_from, sum(cached_read)::BIGINT AS cached_read,
        min(decode_from) AS decode_from, sum(decode)::BIGINT AS decode,
        sum(after_gone)::BIGINT AS after_gone, sum(recomputed)::BIGINT AS recomputed, sum(rejected_draft)::BIGINT AS rejected_draft
    FROM booked
    GROUP BY ALL
) b
JOIN units u USING (unit)
JOIN groups g USING (grp)
ORDER BY b.unit, b.quarter, b.grp
