-- Cost change
--
-- Why a million tokens cost another price than in the period before, on the allocation basis: all that priced GPUs cost while they
-- were held, over all tokens. Price = rate of a GPU-hour / (utilization × tokens a busy second), group by group, and mix is how
-- tokens moved between groups; its logarithm falls apart without a rest. The tokens of a busy second are split further: lengths
-- (share of output), cached share, the GPU time of a token that is prefilled or read from the cache, batch (how many sequences were
-- decoded together: what that does to a token says the engine's fit, v1.fits) and decode (engine and model: what else the GPU time of
-- a decoded token did; all of it where the batch or a fit is not known), each swapped alone and averaged over all orders (Shapley);
-- unattributed is busy time that no request accounts for.
-- usd_per_million_tokens is what each changed of the price, by logarithmic means (LMDI), to the picodollar: parts = whole.
-- A group that is in one of the periods only is all mix. requests says how much each rests on.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last quarter where not given.
-- param before_from TIMESTAMP: Start of the range before; as long before from as the range is where not given.
-- param before_to TIMESTAMP: End of the range before; from where not given.
-- param by VARCHAR = model {all, model, model_version, deployment, namespace, cluster, region, node, gpu_type, engine}: What to group by; model and version are those that the instance serves.
--
-- unit usd_per_million_tokens: USD/1M
-- unit share_ratio: ratio
-- optional log_change, requests_before, share_ratio
-- horizon settled
-- layer cost
-- chart bars "What changed the price": usd_per_million_tokens over factor by group
WITH span AS (
    FROM v1.cost_span($from, $to)
),
sides AS (
    SELECT 1 AS side, since, until FROM span
    UNION ALL
    SELECT 0, coalesce(v1.quarter_of($before_from::TIMESTAMP), since - (until - since)), coalesce($before_to::TIMESTAMP, since) FROM span
),
quarters AS (
    SELECT
        s.side,
        v1.cost_group(
            $by, a.model, a.model_version, a.deployment, a.namespace, a.cluster, a.region, a.node, a.pod, a.instance, a.gpu_type,
            a.engine, a.engine_version, a.quarter, 'UTC'
        ) AS key,
        a.instance,
        a.quarter,
        sum(a.usd) AS usd,
        sum(a.held_ns::HUGEINT * a.gpus_ppm) AS held,
        sum(a.busy_ns::HUGEINT * a.gpus_ppm) AS busy,
        sum(a.busy_ns) AS busy_ns,
        max(a.fit) AS fit
    FROM v1.allocations a
    JOIN sides s ON a.quarter >= s.since AND a.quarter < s.until
    WHERE a.usd IS NOT NULL
    GROUP BY ALL
),
held AS (
    SELECT side, key, sum(usd) AS usd, sum(held) AS held, sum(busy) AS busy
    FROM quarters
    GROUP BY ALL
),
made AS (
    SELECT
        s.side,
        v1.cost_group(
            $by, coalesce(c.instance_model, c.model), coalesce(c.instance_model_version, c.model_version), c.deployment, c.namespace,
            c.cluster, c.region, c.node, c.pod, c.instance, c.gpu_type, c.engine, c.engine_version, c.quarter, 'UTC'
        ) AS key,
        sum(c.requests)::BIGINT AS requests,
        sum(c.uncached_tokens)::BIGINT AS uncached,
        sum(c.cached_tokens)::BIGINT AS cached,
        sum(c.output_tokens)::BIGINT AS output,
        sum(c.prefill_ns::HUGEINT * c.gpus_ppm) AS prefill_gpu,
        sum(c.cached_ns::HUGEINT * c.gpus_ppm) AS cached_gpu,
        sum(c.decode_ns::HUGEINT * c.gpus_ppm) AS decode_gpu
    FROM v1.charges c
    JOIN sides s ON c.quarter >= s.since AND c.quarter < s.until
    WHERE c.prefill_usd IS NOT NULL
    GROUP BY ALL
),
-- A row a side and group; GPU time is in millionths of ns.
known AS (
    SELECT
        h.side,
        h.key,
        h.usd,
        h.held,
        h.busy,
        coalesce(m.requests, 0) AS requests,
        coalesce(m.uncached, 0) AS uncached,
        coalesce(m.cached, 0) AS cached,
        coalesce(m.output, 0) AS output,
        coalesce(m.prefill_gpu, 0) AS prefill_gpu,
        coalesce(m.cached_gpu, 0) AS cached_gpu,
        coalesce(m.decode_gpu, 0) AS decode_gpu,
        coalesce(m.uncached + m.cached + m.output, 0) AS tokens,
        coalesce(m.prefill_gpu + m.cached_gpu + m.decode_gpu, 0) AS used
    FROM held h
    LEFT JOIN made m ON m.side = h.side AND m.key IS NOT DISTINCT FROM h.key
),
decoding AS (
    SELECT instance, window_start, sum(decode_ns) AS decode_ns
    FROM v1.request_window_deltas
    WHERE level_seconds = 900
        AND coalesce(role, 'engine') NOT IN ('gateway', 'client')
        AND window_start >= (SELECT min(since) FROM sides)
        AND window_start < (SELECT max(until) FROM sides)
    GROUP BY ALL
),
-- Sequences that were decoded together: their time over the busy time of the engines.
batches AS (
    SELECT q.side, q.key, nullif(v1.ratio(sum(d.decode_ns), sum(q.busy_ns)), 0) AS batch, arg_max(q.fit, (q.busy_ns, q.fit)) AS fit
    FROM quarters q
    JOIN decoding d ON d.instance = q.instance AND d.window_start = q.quarter
    WHERE q.busy_ns > 0
    GROUP BY q.side, q.key
),
totals AS (
    SELECT
        side,
        sum(usd) AS usd,
        sum(tokens)::HUGEINT AS tokens,
        sum(requests)::BIGINT AS requests,
        (sum(usd)::DECIMAL(26, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT * 1000000 // nullif(sum(tokens), 0)::HUGEINT AS picodollars
    FROM known
    GROUP BY side
),
-- What each group is, by factor, before (0) and now (1).
factors AS (
    SELECT
        k.side,
        k.key,
        k.requests,
        v1.ratio(k.usd * 1000000, t.tokens) AS part,
        v1.ratio(k.tokens, t.tokens) AS mix,
        v1.ratio(k.usd * 3600, k.held / 1e15) AS rate,
        v1.ratio(k.busy, k.held) AS utilization,
        v1.ratio(k.busy, k.used) AS unattributed,
        v1.ratio(k.output, k.tokens) AS lengths,
        coalesce(v1.ratio(k.cached, k.uncached + k.cached), 0) AS cached_share,
        v1.ratio(k.prefill_gpu / 1e9, k.uncached) AS prefill,
        v1.ratio(k.cached_gpu / 1e9, k.cached) AS cache_reading,
        v1.ratio(k.decode_gpu / 1e9, k.output) AS decode,
        b.batch,
        v1.ratio(k.uncached + k.cached + k.output / 2, k.requests) AS context,
        f.pass_fs,
        f.decode_sequence_fs,
        f.kv_token_fs
    FROM known k
    JOIN totals t USING (side)
    LEFT JOIN batches b ON b.side = k.side AND b.key IS NOT DISTINCT FROM k.key
    LEFT JOIN main.fits f ON f.fit = b.fit
),
pairs AS (
    SELECT
        coalesce(a.side, b.side) IS NOT NULL
            AND a.mix > 0 AND b.mix > 0 AND a.rate > 0 AND b.rate > 0 AND a.utilization > 0 AND b.utilization > 0
            AND a.unattributed > 0 AND b.unattributed > 0 AS in_both,
        CASE WHEN b.side IS NULL THEN a.key ELSE b.key END AS key,
        a AS past,
        b AS present,
        coalesce(a.part, 0) AS part_was,
        coalesce(b.part, 0) AS part_is,
        -- A token of a kind that was not there before, or is not now, takes as long as where it was: its share says it all.
        coalesce(a.prefill, b.prefill, 0) AS prefill_was,
        coalesce(b.prefill, a.prefill, 0) AS prefill_is,
        coalesce(a.cache_reading, b.cache_reading, 0) AS reading_was,
        coalesce(b.cache_reading, a.cache_reading, 0) AS reading_is,
        coalesce(a.decode, b.decode, 0) AS decode_was,
        coalesce(b.decode, a.decode, 0) AS decode_is,
        -- By the fits of both sides, at the mean context; where one is not known, by the other.
        coalesce((coalesce(v1.batch_log(a.pass_fs, a.decode_sequence_fs, a.kv_token_fs, (a.context + b.context) / 2, a.batch, b.batch), 0)
            + coalesce(v1.batch_log(b.pass_fs, b.decode_sequence_fs, b.kv_token_fs, (a.context + b.context) / 2, a.batch, b.batch), 0))
            / nullif((a.pass_fs IS NOT NULL)::INT + (b.pass_fs IS NOT NULL)::INT, 0), 0) AS batch_log
    FROM (FROM factors WHERE side = 0) a
    FULL JOIN (FROM factors WHERE side = 1) b ON a.key IS NOT DISTINCT FROM b.key
),
-- The GPU time of a token with the factors of the bits of a number as they are now and the others as they were, as whole 1e-15 of
-- its logarithm. Whole numbers, so that what is swapped in any order adds up to the last digit.
swapped AS (
    SELECT
        key,
        bits,
        round(1e15 * ln(greatest(1e-300,
            (1 - o) * ((1 - h) * CASE WHEN bits & 4 > 0 THEN prefill_is ELSE prefill_was END + h * CASE WHEN bits & 8 > 0 THEN reading_is ELSE reading_was END)
            + o * CASE
                WHEN bits & 32 > 0 THEN decode_is * exp(CASE WHEN bits & 16 > 0 THEN 0 ELSE -batch_log END)
                ELSE decode_was * exp(CASE WHEN bits & 16 > 0 THEN batch_log ELSE 0 END)
            END
        )))::HUGEINT AS log
    FROM (
        SELECT
            *,
            CASE WHEN bits & 1 > 0 THEN present.lengths ELSE past.lengths END AS o,
            CASE WHEN bits & 2 > 0 THEN present.cached_share ELSE past.cached_share END AS h
        FROM pairs, range(64) r(bits)
        WHERE in_both
    )
),
-- Each factor swapped alone, averaged over all orders of six: times 60, the weights are whole.
shapley AS (
    SELECT s.key, f.factor, sum((w.log - s.log) * [10, 2, 1, 1, 2, 10][bit_count(s.bits) + 1])::HUGEINT AS sixtieths
    FROM swapped s
    CROSS JOIN (VALUES (1, 'lengths'), (2, 'cached share'), (4, 'prefill'), (8, 'cache reading'), (16, 'batch'), (32, 'decode')) f(bit, factor)
    JOIN swapped w ON w.key IS NOT DISTINCT FROM s.key AND w.bits = s.bits + f.bit
    WHERE s.bits & f.bit = 0
    GROUP BY ALL
),
logs AS (
    SELECT p.key, f.rank, f.factor, f.basis, f.was, f.now, round(1e15 * f.log)::HUGEINT * 60 AS sixtieths
    FROM pairs p, unnest([
        {'rank': 1, 'factor': 'mix', 'basis': 'share of tokens', 'was': p.past.mix, 'now': p.present.mix, 'log': ln(p.present.mix / p.past.mix)},
        {'rank': 2, 'factor': 'rate', 'basis': 'USD/GPU·h', 'was': p.past.rate, 'now': p.present.rate, 'log': ln(p.present.rate / p.past.rate)},
        {'rank': 3, 'factor': 'utilization', 'basis': 'busy of held', 'was': p.past.utilization, 'now': p.present.utilization, 'log': -ln(p.present.utilization / p.past.utilization)},
        {'rank': 4, 'factor': 'unattributed', 'basis': 'busy over used', 'was': p.past.unattributed, 'now': p.present.unattributed, 'log': ln(p.present.unattributed / p.past.unattributed)}
    ]) u(f)
    WHERE in_both
    UNION ALL
    SELECT p.key, f.rank, f.factor, f.basis, f.was, f.now, s.sixtieths
    FROM pairs p, unnest([
        {'rank': 5, 'factor': 'lengths', 'basis': 'output of tokens', 'was': p.past.lengths, 'now': p.present.lengths},
        {'rank': 6, 'factor': 'cached share', 'basis': 'cached of prompt', 'was': p.past.cached_share, 'now': p.present.cached_share},
        {'rank': 7, 'factor': 'prefill', 'basis': 'GPU·s/1M tokens', 'was': p.past.prefill, 'now': p.present.prefill},
        {'rank': 8, 'factor': 'cache reading', 'basis': 'GPU·s/1M tokens', 'was': p.past.cache_reading, 'now': p.present.cache_reading},
        {'rank': 9, 'factor': 'batch', 'basis': 'sequences', 'was': p.past.batch, 'now': p.present.batch},
        {'rank': 10, 'factor': 'decode', 'basis': 'GPU·s/1M tokens', 'was': p.past.decode, 'now': p.present.decode}
    ]) u(f)
    JOIN shapley s ON s.key IS NOT DISTINCT FROM p.key AND s.factor = f.factor
    WHERE p.in_both
    UNION ALL
    SELECT p.key, 1, 'mix', 'share of tokens', p.past.mix, p.present.mix, NULL
    FROM pairs p
    WHERE NOT coalesce(in_both, false)
),
-- In picodollars a million tokens: the logarithm times the logarithmic mean of what the group is of the price.
weighed AS (
    SELECT
        l.*,
        l.sixtieths / 6e16 AS log,
        round(1e12 * CASE
            WHEN l.sixtieths IS NULL THEN p.part_is - p.part_was
            WHEN abs(p.part_is - p.part_was) < 1e-9 * p.part_was THEN p.part_was * (l.sixtieths / 6e16)
            ELSE (p.part_is - p.part_was) / ln(p.part_is / p.part_was) * (l.sixtieths / 6e16)
        END)::HUGEINT AS picodollars,
        p.present.requests AS requests,
        p.past.requests AS requests_before
    FROM logs l
    JOIN pairs p ON p.key IS NOT DISTINCT FROM l.key
),
whole AS (
    SELECT
        (SELECT picodollars FROM totals WHERE side = 0) AS was,
        (SELECT picodollars FROM totals WHERE side = 1) AS now,
        (SELECT requests FROM totals WHERE side = 0) AS requests_before,
        (SELECT requests FROM totals WHERE side = 1) AS requests
),
-- What rounding left, some picodollars, goes to the greatest part.
closed AS (
    SELECT
        * EXCLUDE (picodollars),
        picodollars + CASE
            WHEN row_number() OVER (ORDER BY abs(picodollars) DESC, key NULLS LAST, rank) = 1
            THEN (SELECT now - was FROM whole) - sum(picodollars) OVER ()
            ELSE 0
        END AS picodollars
    FROM weighed
),
lines AS (
    SELECT 0 AS section, NULL AS key, 0 AS rank, 'price' AS factor, 'USD/1M tokens' AS basis, was / 1e12 AS was, now / 1e12 AS now,
        ln(now / was) AS log, (now - was)::HUGEINT AS picodollars, requests_before, requests
    FROM whole
    WHERE was > 0
        AND now > 0
    UNION ALL
    SELECT 1, key, rank, factor, basis, was, now, log, picodollars, requests_before, requests
    FROM closed
    WHERE EXISTS (FROM whole WHERE was > 0 AND now > 0)
)
SELECT
    l.key AS "group",
    l.factor,
    l.basis,
    l.was AS before,
    l.now,
    l.log AS log_change,
    v1.usd_of(l.picodollars) AS usd_per_million_tokens,
    CASE WHEN w.now <> w.was THEN l.picodollars::DOUBLE / (w.now - w.was)::DOUBLE END AS share_ratio,
    l.requests_before,
    l.requests,
    s.since AS window_from,
    s.until AS window_to
FROM lines l, whole w, span s
ORDER BY l.section, sum(abs(l.picodollars)) OVER (PARTITION BY l.section, l.key) DESC, l.key NULLS LAST, l.rank;
