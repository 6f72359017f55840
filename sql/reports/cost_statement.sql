-- Cost statement
--
-- The close of a period: opening, what the statements before it charged; a charge a group and state of the GPUs (prefill, cached
-- and decode were used by the group; idle, startup, down and unattributed, by nobody, stand under (unused)); corrections, what is
-- known now of the periods of earlier statements and was not charged; closing, all of it. GPU time without a price is unpriced, and
-- in no sum. Checks compare two ways to the same figure, found against expected: a statement of which one differs is not
-- published by a job. The range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the period, inclusive, UTC; the first quarter of an hour where not given.
-- param to TIMESTAMP: End of the period, exclusive, UTC; past the last quarter where not given.
-- param by VARCHAR = tenant {tenant, request_class, model, model_version}: Whom to charge; model and version are those of the requests.
-- param book VARCHAR: The job whose statements it goes on from; without one it opens with nothing.
--
-- unit usd: USD
-- unit gpu_hours: GPU·h
-- optional expected, found, difference
-- horizon settled
-- layer cost
-- balance item: difference
-- chart stack "Charges": usd over item by state where section = charge
WITH span AS (
    FROM v1.cost_span($from, $to)
),
-- What statements of the book said before.
said AS (
    SELECT l.period_from, l.period_to, l.item, l.state, sum(l.usd) AS usd
    FROM v1.statement_lines l, span s
    WHERE l.book = $book::VARCHAR
        AND l.grouping = $by
        AND l.statement_to <= s.since
    GROUP BY ALL
),
periods AS (
    SELECT DISTINCT period_from, period_to, false AS current FROM said
    UNION ALL
    SELECT since, until, true FROM span
),
held AS (
    SELECT p.period_from, p.period_to, p.current, a.*
    FROM v1.allocations a
    JOIN periods p ON a.quarter >= p.period_from AND a.quarter < p.period_to
),
-- What each is charged for, in instances' ns, GPUs' millionths of ns, and USD.
charged AS (
    SELECT
        p.period_from,
        p.period_to,
        p.current,
        CASE $by
            WHEN 'tenant' THEN c.tenant
            WHEN 'request_class' THEN c.request_class
            WHEN 'model' THEN c.model
            WHEN 'model_version' THEN v1.pair(c.model, '@', c.model_version)
        END AS item,
        c.gpus_ppm,
        unnest([
            {'state': 'prefill', 'ns': c.prefill_ns, 'usd': c.prefill_usd},
            {'state': 'cached', 'ns': c.cached_ns, 'usd': c.cached_usd},
            {'state': 'decode', 'ns': c.decode_ns, 'usd': c.decode_usd}
        ], recursive := true)
    FROM v1.charges c
    JOIN periods p ON c.quarter >= p.period_from AND c.quarter < p.period_to
    UNION ALL
    SELECT
        period_from,
        period_to,
        current,
        '(unused)',
        gpus_ppm,
        unnest([
            {'state': 'idle', 'ns': idle_ns, 'usd': idle_usd},
            {'state': 'startup', 'ns': startup_ns, 'usd': startup_usd},
            {'state': 'down', 'ns': down_ns, 'usd': down_usd},
            {'state': 'unattributed', 'ns': unattributed_ns, 'usd': unattributed_usd}
        ], recursive := true)
    FROM held
),
known AS (
    SELECT period_from, period_to, current, item, state, sum(ns::HUGEINT * gpus_ppm) AS gpu_ppm_ns, sum(usd) AS usd
    FROM charged
    WHERE usd IS NOT NULL
        AND ns > 0
    GROUP BY ALL
),
corrections AS (
    SELECT
        coalesce(k.period_from, s.period_from) AS period_from,
        coalesce(k.period_to, s.period_to) AS period_to,
        CASE WHEN k.period_from IS NULL THEN s.item ELSE k.item END AS item,
        coalesce(k.state, s.state) AS state,
        coalesce(k.usd, 0) - coalesce(s.usd, 0) AS usd
    FROM (FROM known WHERE NOT current) k
    FULL JOIN said s
        ON s.period_from = k.period_from
        AND s.period_to = k.period_to
        AND s.item IS NOT DISTINCT FROM k.item
        AND s.state = k.state
    WHERE coalesce(k.usd, 0) <> coalesce(s.usd, 0)
),
unpriced AS (
    SELECT sum((held_ns - coalesce(priced_ns, 0))::HUGEINT * gpus_ppm) AS gpu_ppm_ns
    FROM held
    WHERE current
        AND held_ns > coalesce(priced_ns, 0)
),
totals AS (
    SELECT
        coalesce((SELECT sum(usd) FROM said), 0) AS opening,
        coalesce((SELECT sum(usd) FROM known WHERE current), 0) AS charges,
        coalesce((SELECT sum(usd) FROM corrections), 0) AS corrections
),
-- Time, in ns of instances: an instance and quarter of an hour whose parts do not add up is off by what they miss.
parts AS (
    SELECT
        coalesce(sum(held_ns::HUGEINT), 0) AS held_ns,
        coalesce(sum(startup_ns::HUGEINT + busy_ns + idle_ns + down_ns), 0) AS parts_ns,
        coalesce(sum(abs(held_ns - startup_ns - busy_ns - idle_ns - down_ns)::HUGEINT), 0) AS off_ns,
        coalesce(sum(busy_ns::HUGEINT), 0) AS busy_ns,
        coalesce(sum(usd), 0) AS usd,
        count(*) FILTER (held_ns % 1000 <> 0) AS odd
    FROM held
    WHERE current
        AND held_ns IS NOT NULL
),
used AS (
    SELECT coalesce(sum(used_ns), 0) AS used_ns, coalesce(sum(abs(busy_ns - used_ns)::HUGEINT), 0) AS off_ns
    FROM (
        SELECT h.busy_ns, h.unattributed_ns + coalesce(sum(c.prefill_ns + c.cached_ns + c.decode_ns), 0) AS used_ns
        FROM held h
        LEFT JOIN v1.charges c
            ON c.instance = h.instance AND c.dp_index = h.dp_index AND c.boot IS NOT DISTINCT FROM h.boot AND c.quarter = h.quarter
        WHERE h.current
            AND h.held_ns IS NOT NULL
        GROUP BY h.instance, h.dp_index, h.boot, h.quarter, h.busy_ns, h.unattributed_ns
    )
),
-- Price × time, anew, in picodollars: by price first, so that it is multiplied once.
priced AS (
    SELECT coalesce(sum(gpu_ppm_us * (usd_per_hour::DECIMAL(24, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT // 3600000000000000::HUGEINT), 0) AS picodollars
    FROM (
        SELECT
            p.usd_per_hour,
            sum((v1.overlap_ns(p.from_at, p.to_at, make_timestamp_ns(epoch_ns(h.until) - h.held_ns)::TIMESTAMP, h.until) // 1000)::HUGEINT * h.gpus_ppm) AS gpu_ppm_us
        FROM held h
        JOIN v1.instance_prices p ON p.instance = h.instance AND p.boot = h.boot
        WHERE h.current
            AND h.held_ns IS NOT NULL
            AND p.usd_per_hour IS NOT NULL
        GROUP BY p.usd_per_hour
    )
),
compared AS (
    SELECT 1 AS rank, 'startup + busy + idle + down = held' AS item, 's' AS state,
        v1.ns_seconds(held_ns) AS expected, v1.ns_seconds(parts_ns) AS found, v1.ns_seconds(parts.off_ns) AS difference
    FROM parts
    UNION ALL
    SELECT 2, 'prefill + cached + decode + unattributed = busy', 's', v1.ns_seconds(busy_ns), v1.ns_seconds(used_ns), v1.ns_seconds(used.off_ns)
    FROM parts, used
    UNION ALL
    SELECT 3, 'charges = bill', 'USD', usd, charges, charges - usd
    FROM parts, totals
    UNION ALL
    -- A time that is no whole microsecond is rounded once more here: such an instance and quarter may be off by that.
    SELECT 4, 'bill = GPU-hours × price', 'USD', v1.usd_of(picodollars), usd,
        CASE WHEN abs(usd - v1.usd_of(picodollars)) > 0.000001 + odd * 0.00000002 THEN usd - v1.usd_of(picodollars) ELSE 0 END
    FROM parts, priced
    UNION ALL
    SELECT 5, 'opening + charges + corrections = all of it, anew', 'USD', anew, opening + charges + corrections, opening + charges + corrections - anew
    FROM totals, (SELECT coalesce(sum(usd), 0) AS anew FROM known)
),
lines AS (
    SELECT 1 AS section_rank, 0 AS rank, 'opening' AS section, since AS period_from, until AS period_to, NULL AS item, NULL AS state,
        NULL::HUGEINT AS gpu_ppm_ns, opening AS usd
    FROM totals, span
    UNION ALL
    SELECT 2, 0, 'charge', period_from, period_to, item, state, gpu_ppm_ns, usd
    FROM known
    WHERE current
    UNION ALL
    SELECT 3, 0, 'unpriced', since, until, NULL, NULL, gpu_ppm_ns, NULL
    FROM unpriced, span
    WHERE gpu_ppm_ns > 0
    UNION ALL
    SELECT 4, 0, 'correction', period_from, period_to, item, state, NULL, usd
    FROM corrections
    UNION ALL
    SELECT 5, 0, 'closing', since, until, NULL, NULL, NULL, opening + charges + corrections
    FROM totals, span
    UNION ALL
    SELECT 6, rank, 'check', since, until, item, state, NULL, NULL
    FROM compared, span
)
SELECT
    l.section,
    l.item,
    l.state,
    l.period_from,
    l.period_to,
    v1.ratio(l.gpu_ppm_ns, 3600000000000000000::HUGEINT) AS gpu_hours,
    l.usd::DECIMAL(38, 12) AS usd,
    c.expected::DECIMAL(38, 12) AS expected,
    c.found::DECIMAL(38, 12) AS found,
    c.difference::DECIMAL(38, 12) AS difference
FROM lines l
LEFT JOIN compared c ON c.rank = l.rank
WHERE l.period_from IS NOT NULL
ORDER BY l.section_rank, l.rank, l.period_from, l.item = '(unused)', sum(l.usd) OVER (PARTITION BY l.section_rank, l.period_from, l.item) DESC NULLS LAST, l.item, l.usd DESC NULLS LAST, l.state;
