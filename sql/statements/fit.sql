-- Fitting the time of a forward pass: sums for package jobs/verdict, and what it found.

-- The kinds of instances that may have data enough for a fit to $source: those without one, and those that a boot outlived by $every
-- since the newest, or, as the first fits are of little, by the time that it was made of. None of them from marks whose passes were
-- fitted. What has long ended is looked at no more.
-- name: fit_candidates
WITH latest AS (
    SELECT model, model_version, gpu_type, tensor_parallel, engine, engine_version,
        max(epoch_us(to_at::TIMESTAMP)) + least($every, arg_max(epoch_us(to_at::TIMESTAMP) - epoch_us(from_at::TIMESTAMP), to_at)) AS due
    FROM main.fits
    WHERE source = $source
    GROUP BY ALL
),
better AS (
    SELECT DISTINCT model, model_version, gpu_type, tensor_parallel, engine, engine_version
    FROM main.fits
    WHERE source = 'steps' AND $source <> 'steps'
)
SELECT i.model, i.model_version, i.gpu_type, i.tensor_parallel, i.engine, i.engine_version, any_value(l.due) AS due
FROM v1.instances i
CROSS JOIN v1.horizon h
LEFT JOIN latest l
    ON l.model IS NOT DISTINCT FROM i.model AND l.model_version IS NOT DISTINCT FROM i.model_version
    AND l.gpu_type IS NOT DISTINCT FROM i.gpu_type AND l.tensor_parallel IS NOT DISTINCT FROM i.tensor_parallel
    AND l.engine IS NOT DISTINCT FROM i.engine AND l.engine_version IS NOT DISTINCT FROM i.engine_version
ANTI JOIN better p
    ON p.model IS NOT DISTINCT FROM i.model AND p.model_version IS NOT DISTINCT FROM i.model_version
    AND p.gpu_type IS NOT DISTINCT FROM i.gpu_type AND p.tensor_parallel IS NOT DISTINCT FROM i.tensor_parallel
    AND p.engine IS NOT DISTINCT FROM i.engine AND p.engine_version IS NOT DISTINCT FROM i.engine_version
GROUP BY ALL
HAVING any_value(l.due) IS NULL OR any_value(l.due) <= max(epoch_us(least(coalesce(i.to_at, h.complete_through), h.complete_through)))

-- A kind as the queries below are told of it; due is when it may have a new fit, µs since 1970, NULL for the first.
-- name: candidate
SELECT {model}::VARCHAR AS model, {model_version}::VARCHAR AS model_version, {gpu_type}::VARCHAR AS gpu_type,
    {tensor_parallel}::BIGINT AS tensor_parallel, {engine}::VARCHAR AS engine, {engine_version}::VARCHAR AS engine_version, {due}::BIGINT AS due

-- One row a kind of {candidates}, instance and block of 20 s: Σ passes ÷ time² · feature · feature and the like, times in ns. Of each
-- kind the last $span of its runs; none is looked at from before {from}, µs since 1970.
-- name: pass_moments
WITH candidates AS (
    {candidates}
),
known AS (
    SELECT i.instance, i.from_at, coalesce(i.to_at, 'infinity'::TIMESTAMP) AS to_at, c.*
    FROM v1.instances i
    JOIN candidates c
        ON c.model IS NOT DISTINCT FROM i.model AND c.model_version IS NOT DISTINCT FROM i.model_version
        AND c.gpu_type IS NOT DISTINCT FROM i.gpu_type AND c.tensor_parallel IS NOT DISTINCT FROM i.tensor_parallel
        AND c.engine IS NOT DISTINCT FROM i.engine AND c.engine_version IS NOT DISTINCT FROM i.engine_version
),
told AS (
    SELECT k.* EXCLUDE (instance, from_at, to_at), s.instance, coalesce(s.dp_index, 0) AS dp_index, epoch_us(s."at"::TIMESTAMP) AS ended,
        s.passes::DOUBLE AS n, s.wall_ns::DOUBLE AS t, coalesce(s.prefill_tokens, 0)::DOUBLE AS p,
        coalesce(s.prefill_context_twice, 0) / 2.0 AS x, coalesce(s.decode_tokens, 0)::DOUBLE AS d, coalesce(s.kv_tokens_read, 0)::DOUBLE AS k,
        max(epoch_us(s."at"::TIMESTAMP)) OVER (PARTITION BY k.model, k.model_version, k.gpu_type, k.tensor_parallel, k.engine, k.engine_version) AS last
    FROM main.step_runs s
    JOIN known k ON k.instance = s.instance AND k.from_at < s."at"::TIMESTAMP AND k.to_at >= s."at"::TIMESTAMP
    WHERE s.wall_ns > 0 AND s.passes > 0 AND coalesce(s.rank_index, 0) = 0 AND s."at" >= make_timestamp({from})
),
recent AS (
    SELECT *, n / t / t AS w, 1 / t / t AS once
    FROM told
    WHERE ended > last - $span AND (due IS NULL OR last >= due)
)
SELECT
    model, model_version, gpu_type, tensor_parallel, engine, engine_version,
    dense_rank() OVER (ORDER BY instance, dp_index) AS engine_number,
    min(ended) AS since, max(ended) AS until, count(*) AS runs, sum(n)::BIGINT AS passes, sum(t) AS time, sum(w * t * t) AS square,
    [sum(n), sum(p), sum(x), sum(d), sum(k)] AS sums,
    [sum(w * n * t), sum(w * p * t), sum(w * x * t), sum(w * d * t), sum(w * k * t)] AS target,
    [sum(w * n * n), sum(w * n * p), sum(w * n * x), sum(w * n * d), sum(w * n * k),
        sum(w * p * p), sum(w * p * x), sum(w * p * d), sum(w * p * k),
        sum(w * x * x), sum(w * x * d), sum(w * x * k),
        sum(w * d * d), sum(w * d * k),
        sum(w * k * k)] AS gram,
    sum(once * t * t) AS square_once,
    [sum(once * n * t), sum(once * p * t), sum(once * x * t), sum(once * d * t), sum(once * k * t)] AS target_once,
    [sum(once * n * n), sum(once * n * p), sum(once * n * x), sum(once * n * d), sum(once * n * k),
        sum(once * p * p), sum(once * p * x), sum(once * p * d), sum(once * p * k),
        sum(once * x * x), sum(once * x * d), sum(once * x * k),
        sum(once * d * d), sum(once * d * k),
        sum(once * k * k)] AS gram_once
FROM recent
GROUP BY model, model_version, gpu_type, tensor_parallel, engine, engine_version, instance, dp_index, ended // 20000000
ORDER BY model, model_version, gpu_type, tensor_parallel, engine, engine_version, instance, dp_index, ended // 20000000

-- name: insert_fit
INSERT INTO fits
SELECT coalesce(max(fit), 0) + 1, $1, $2, $3, $4, $5, $6, $7, make_timestamp($8), make_timestamp($9), $10, $11, $12, $13, $14, $15, $16,
    $17, $18, $19::DOUBLE[], $20::DOUBLE[], $21, $22::VARCHAR[], $23
FROM fits

-- What a kind of instance is thought to take, ns, before its first fit: a pass takes what it takes, whatever is in it.
-- name: no_guesses
SELECT NULL::VARCHAR AS model, NULL::VARCHAR AS model_version, NULL::VARCHAR AS gpu_type, NULL::BIGINT AS tensor_parallel, NULL::VARCHAR AS engine,
    NULL::VARCHAR AS engine_version, 1.0 AS a, 0.0 AS bp, 0.0 AS bx, 0.0 AS bd, 0.0 AS bk
WHERE FALSE

-- name: guess
SELECT {model}::VARCHAR, {model_version}::VARCHAR, {gpu_type}::VARCHAR, {tensor_parallel}::BIGINT, {engine}::VARCHAR, {engine_version}::VARCHAR,
    {a}::DOUBLE, {bp}::DOUBLE, {bx}::DOUBLE, {bd}::DOUBLE, {bk}::DOUBLE

-- The same where no passes were ever told, from the marks of requests alone: one row a kind, instance and minute. A request's decode takes
-- a pass for each token, the prompts computed meanwhile, and for each pass the mean number of sequences and of tokens read, over passes
-- as {guesses} place them in time: over time alone, long passes would count more often than they are. Weights are 1 ÷ its time. Prompts
-- are taken as computed evenly between scheduling and first token.
-- name: mark_moments
WITH guesses AS (
    {guesses}
),
stepped AS (
    SELECT DISTINCT i.model, i.model_version, i.gpu_type, i.tensor_parallel, i.engine, i.engine_version
    FROM main.step_runs s
    JOIN v1.instances i ON i.instance = s.instance AND i.from_at < s."at"::TIMESTAMP AND coalesce(i.to_at, 'infinity'::TIMESTAMP) >= s."at"::TIMESTAMP
),
candidates AS (
    {candidates}
),
known AS (
    SELECT i.instance, i.from_at, coalesce(i.to_at, 'infinity'::TIMESTAMP) AS to_at, c.*
    FROM v1.instances i
    JOIN candidates c
        ON c.model IS NOT DISTINCT FROM i.model AND c.model_version IS NOT DISTINCT FROM i.model_version
        AND c.gpu_type IS NOT DISTINCT FROM i.gpu_type AND c.tensor_parallel IS NOT DISTINCT FROM i.tensor_parallel
        AND c.engine IS NOT DISTINCT FROM i.engine AND c.engine_version IS NOT DISTINCT FROM i.engine_version
    ANTI JOIN stepped p
        ON p.model IS NOT DISTINCT FROM i.model AND p.model_version IS NOT DISTINCT FROM i.model_version
        AND p.gpu_type IS NOT DISTINCT FROM i.gpu_type AND p.tensor_parallel IS NOT DISTINCT FROM i.tensor_parallel
        AND p.engine IS NOT DISTINCT FROM i.engine AND p.engine_version IS NOT DISTINCT FROM i.engine_version
),
told AS (
    SELECT k.* EXCLUDE (from_at, to_at), coalesce(r.dp_index, 0) AS dp_index,
        epoch_ns(r.scheduled_at) AS s, epoch_ns(r.first_token_at) AS f, epoch_ns(coalesce(r.last_token_at, r.finished_at)) AS e,
        r.prompt_tokens AS prompt,
        least(coalesce(r.cached_local_tokens, 0) + coalesce(r.cached_external_tokens, 0) + coalesce(r.cached_host_tokens, 0), r.prompt_tokens) AS cached,
        greatest(coalesce(r.output_tokens, r.output_seen_tokens, 0) - 1, 0) AS n,
        coalesce(r.preemptions, 0) AS preemptions, coalesce(r.preempted_ns, 0) AS away_ns, coalesce(r.recomputed_tokens, 0)::DOUBLE AS again,
        coalesce(g.a, 1) AS a, coalesce(g.bp, 0) AS bp, coalesce(g.bx, 0) AS bx, coalesce(g.bd, 0) AS bd, coalesce(g.bk, 0) AS bk,
        max(epoch_us(r.finished_at::TIMESTAMP)) OVER (PARTITION BY k.model, k.model_version, k.gpu_type, k.tensor_parallel, k.engine, k.engine_version) AS last
    FROM main.requests r
    JOIN known k ON k.instance = r.instance AND k.from_at <= r.scheduled_at::TIMESTAMP AND k.to_at > r.scheduled_at::TIMESTAMP
    LEFT JOIN guesses g
        ON g.model IS NOT DISTINCT FROM k.model AND g.model_version IS NOT DISTINCT FROM k.model_version
        AND g.gpu_type IS NOT DISTINCT FROM k.gpu_type AND g.tensor_parallel IS NOT DISTINCT FROM k.tensor_parallel
        AND g.engine IS NOT DISTINCT FROM k.engine AND g.engine_version IS NOT DISTINCT FROM k.engine_version
    WHERE coalesce(r.role, 'engine') NOT IN ('gateway', 'client') AND r.prompt_tokens IS NOT NULL AND r.finished_at >= make_timestamp({from})
),
stays AS (
    SELECT *, row_number() OVER (ORDER BY instance, dp_index, s, f, e) AS stay, (f + e) // 2 // 60000000000 AS minute,
        (prompt - cached)::DOUBLE AS u, (prompt::DOUBLE * prompt - cached::DOUBLE * cached) / 2 AS x, greatest(f - s, 1000)::DOUBLE AS filling,
        -- One that was preempted was in the batch for a part of the time only, and computed again what it had lost.
        CASE WHEN e > f THEN greatest(1 - away_ns / (e - f)::DOUBLE, 0) ELSE 1 END AS presence,
        CASE WHEN e > f THEN again / (e - f)::DOUBLE ELSE 0 END AS p_again,
        CASE WHEN e > f THEN again * again / 2 / greatest(preemptions, 1) / (e - f)::DOUBLE ELSE 0 END AS x_again
    FROM told
    WHERE s IS NOT NULL AND f >= s AND e >= f AND e // 1000 > last - $span AND (due IS NULL OR last >= due)
),
moves AS (
    SELECT instance, dp_index, stay, a, bp, bx, bd, bk, unnest([0, 1, 2]) AS kind, unnest([e, f, s]) AS t,
        unnest([-p_again, p_again - u / filling, u / filling]) AS p, unnest([-x_again, x_again - x / filling, x / filling]) AS x,
        unnest([-1, 1, 0]) * (n > 0)::INT * presence AS d,
        unnest([-1, 1, 0]) * (n > 0)::INT * presence * (prompt + 0.5) AS c,
        unnest([-1, 1, 0]) * CASE WHEN n > 0 AND e > f THEN n / (e - f)::DOUBLE ELSE 0 END * presence AS v,
        unnest([-1, 1, 0]) * CASE WHEN n > 0 AND e > f THEN n / (e - f)::DOUBLE ELSE 0 END * presence
            * (f - min(s) OVER (PARTITION BY instance, dp_index)) AS vf,
        min(s) OVER (PARTITION BY instance, dp_index) AS zero
    FROM stays
),
flows AS (
    SELECT *, t - zero AS at_ns, lead(t) OVER w - t AS dt,
        sum(p) OVER w AS p_now, sum(x) OVER w AS x_now, sum(d) OVER w AS d_now, sum(c - vf) OVER w AS c_now, sum(v) OVER w AS v_now
    FROM moves
    WINDOW w AS (PARTITION BY instance, dp_index ORDER BY t, kind, stay ROWS UNBOUNDED PRECEDING)
),
-- Passes a ns: what time prompts leave, by what a pass without them takes.
levels AS (
    SELECT *, c_now + v_now * (at_ns + dt / 2) AS k_now,
        greatest(1 - bp * p_now - bx * x_now, 0) / (a + bd * d_now + bk * greatest(c_now + v_now * (at_ns + dt / 2), 0)) * dt AS passes
    FROM flows
),
areas AS (
    SELECT stay, kind,
        coalesce(sum(p_now * dt) OVER w, 0) - coalesce(p_now * dt, 0) AS p_area,
        coalesce(sum(x_now * dt) OVER w, 0) - coalesce(x_now * dt, 0) AS x_area,
        coalesce(sum(passes) OVER w, 0) - coalesce(passes, 0) AS n_area,
        coalesce(sum(d_now * passes) OVER w, 0) - coalesce(d_now * passes, 0) AS d_area,
        coalesce(sum(k_now * passes) OVER w, 0) - coalesce(k_now * passes, 0) AS k_area
    FROM levels
    WINDOW w AS (PARTITION BY instance, dp_index ORDER BY t, kind, stay ROWS UNBOUNDED PRECEDING)
),
spans AS (
    SELECT stay,
        max(p_area) FILTER (kind = 0) - max(p_area) FILTER (kind = 1) AS p,
        max(x_area) FILTER (kind = 0) - max(x_area) FILTER (kind = 1) AS x,
        max(n_area) FILTER (kind = 0) - max(n_area) FILTER (kind = 1) AS passes,
        max(d_area) FILTER (kind = 0) - max(d_area) FILTER (kind = 1) AS d,
        max(k_area) FILTER (kind = 0) - max(k_area) FILTER (kind = 1) AS k
    FROM areas
    GROUP BY stay
),
decoded AS (
    SELECT s.*, (s.e - s.f)::DOUBLE AS t, 1 / (s.e - s.f)::DOUBLE AS w, a.p AS ap, a.x AS ax,
        s.n * a.d / a.passes AS ad, s.n * a.k / a.passes AS ak
    FROM stays s
    JOIN spans a USING (stay)
    WHERE s.n >= 10 AND s.e > s.f AND a.passes > 0 AND s.preemptions = 0
)
SELECT
    model, model_version, gpu_type, tensor_parallel, engine, engine_version,
    dense_rank() OVER (ORDER BY instance, dp_index) AS engine_number,
    min(e // 1000) AS since, max(e // 1000) AS until, count(*) AS runs, sum(n)::BIGINT AS passes, sum(t) AS time, sum(w * t * t) AS square,
    [sum(n)::DOUBLE, sum(ap), sum(ax), sum(ad), sum(ak)] AS sums,
    [sum(w * n * t), sum(w * ap * t), sum(w * ax * t), sum(w * ad * t), sum(w * ak * t)] AS target,
    [sum(w * n * n), sum(w * n * ap), sum(w * n * ax), sum(w * n * ad), sum(w * n * ak),
        sum(w * ap * ap), sum(w * ap * ax), sum(w * ap * ad), sum(w * ap * ak),
        sum(w * ax * ax), sum(w * ax * ad), sum(w * ax * ak),
        sum(w * ad * ad), sum(w * ad * ak),
        sum(w * ak * ak)] AS gram,
    NULL AS square_once, NULL AS target_once, NULL AS gram_once
FROM decoded
GROUP BY model, model_version, gpu_type, tensor_parallel, engine, engine_version, instance, dp_index, minute
ORDER BY model, model_version, gpu_type, tensor_parallel, engine, engine_version, instance, dp_index, minute
