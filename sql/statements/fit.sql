-- Fitting the time of a forward pass: sums for package jobs/verdict, and what it found.

-- One row a kind of instance, instance and block of 20 s: Σ passes ÷ time² · feature · feature and the like, times in ns. Kinds
-- whose newest fit is of less than $every before the horizon are left out. Of each kind the last $span of its runs.
-- name: pass_moments
WITH latest AS (
    SELECT model, model_version, gpu_type, tensor_parallel, engine, engine_version, max(epoch_us(to_at::TIMESTAMP)) AS fitted
    FROM main.fits
    WHERE source = 'steps'
    GROUP BY ALL
),
known AS (
    SELECT i.instance, i.boot, i.from_at, coalesce(i.to_at, 'infinity'::TIMESTAMP) AS to_at,
        i.model, i.model_version, i.gpu_type, i.tensor_parallel, i.engine, i.engine_version, l.fitted
    FROM v1.instances i
    LEFT JOIN latest l
        ON l.model IS NOT DISTINCT FROM i.model AND l.model_version IS NOT DISTINCT FROM i.model_version
        AND l.gpu_type IS NOT DISTINCT FROM i.gpu_type AND l.tensor_parallel IS NOT DISTINCT FROM i.tensor_parallel
        AND l.engine IS NOT DISTINCT FROM i.engine AND l.engine_version IS NOT DISTINCT FROM i.engine_version
),
told AS (
    SELECT k.* EXCLUDE (instance, boot, from_at, to_at), s.instance, coalesce(s.dp_index, 0) AS dp_index, epoch_us(s."at"::TIMESTAMP) AS ended,
        s.passes::DOUBLE AS n, s.wall_ns::DOUBLE AS t, coalesce(s.prefill_tokens, 0)::DOUBLE AS p,
        coalesce(s.prefill_context_twice, 0) / 2.0 AS x, coalesce(s.decode_tokens, 0)::DOUBLE AS d, coalesce(s.kv_tokens_read, 0)::DOUBLE AS k,
        max(epoch_us(s."at"::TIMESTAMP)) OVER (PARTITION BY k.model, k.model_version, k.gpu_type, k.tensor_parallel, k.engine, k.engine_version) AS last
    FROM main.step_runs s
    JOIN known k ON k.instance = s.instance AND k.from_at < s."at"::TIMESTAMP AND k.to_at >= s."at"::TIMESTAMP
    WHERE s.wall_ns > 0 AND s.passes > 0 AND coalesce(s.rank_index, 0) = 0
),
recent AS (
    SELECT *, n / t / t AS w
    FROM told
    WHERE ended > last - $span AND (fitted IS NULL OR last >= fitted + $every)
)
SELECT
    model, model_version, gpu_type, tensor_parallel, engine, engine_version,
    min(ended) AS since, max(ended) AS until, count(*) AS runs, sum(n)::BIGINT AS passes, sum(t) AS time, sum(w * t * t) AS square,
    [sum(n), sum(p), sum(x), sum(d), sum(k)] AS sums,
    [sum(w * n * t), sum(w * p * t), sum(w * x * t), sum(w * d * t), sum(w * k * t)] AS target,
    [sum(w * n * n), sum(w * n * p), sum(w * n * x), sum(w * n * d), sum(w * n * k),
        sum(w * p * p), sum(w * p * x), sum(w * p * d), sum(w * p * k),
        sum(w * x * x), sum(w * x * d), sum(w * x * k),
        sum(w * d * d), sum(w * d * k),
        sum(w * k * k)] AS gram
FROM recent
GROUP BY model, model_version, gpu_type, tensor_parallel, engine, engine_version, instance, dp_index, ended // 20000000
ORDER BY model, model_version, gpu_type, tensor_parallel, engine, engine_version, instance, dp_index, ended // 20000000

-- name: insert_fit
INSERT INTO fits
SELECT coalesce(max(fit), 0) + 1, $1, $2, $3, $4, $5, $6, $7, make_timestamp($8), make_timestamp($9), $10, $11, $12, $13, $14, $15, $16,
    $17, $18, $19::DOUBLE[], $20::DOUBLE[], $21, $22::VARCHAR[], $23
FROM fits
