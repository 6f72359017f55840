-- I7: an instance's time and its cost divide without remainder, and requests' parts are the whole.
WITH held AS (
    SELECT
        coalesce(sum(held_ns), 0) AS held,
        coalesce(sum(startup_ns + busy_ns + idle_ns + down_ns) FILTER (held_ns IS NOT NULL), 0) AS parts,
        coalesce(sum(busy_ns - unattributed_ns), 0) AS attributed,
        count(*) FILTER (least(held_ns, startup_ns, busy_ns, idle_ns, down_ns, unattributed_ns) < 0) AS negative
    FROM allocations
),
charged AS (
    SELECT coalesce(sum(prefill_ns + cached_ns + decode_ns), 0) AS ns, coalesce(sum(requests), 0) AS requests, coalesce(sum(output_tokens), 0) AS tokens FROM charges
),
-- Rows of requests that were removed for their age have no row here either; what they were charged stays.
requested AS (
    SELECT instance, dp_index, boot, quarter, sum(prefill_ns + cached_ns + decode_ns) AS ns FROM request_gpu_time GROUP BY ALL
),
summed AS (
    SELECT instance, dp_index, boot, quarter, sum(prefill_ns + cached_ns + decode_ns) AS ns FROM charges GROUP BY ALL
),
compared AS (
    SELECT coalesce(sum(r.ns), 0) AS requested, coalesce(sum(s.ns), 0) AS charged
    FROM requested r
    LEFT JOIN summed s ON s.instance = r.instance AND s.dp_index = r.dp_index AND s.boot IS NOT DISTINCT FROM r.boot AND s.quarter = r.quarter
),
money AS (
    SELECT
        coalesce(sum(usd), 0) AS usd,
        coalesce(sum(startup_usd + busy_usd + idle_usd + down_usd), 0) AS parts,
        coalesce(sum(busy_usd - unattributed_usd), 0) AS used
    FROM v1.allocations
),
paid AS (
    SELECT coalesce(sum(prefill_usd + cached_usd + decode_usd), 0) AS usd FROM v1.charges
)
SELECT 'time held, ns: startup + busy + idle + down' AS what, held::HUGEINT AS expected, parts::HUGEINT AS found, held = parts AND negative = 0 AS held FROM held
UNION ALL
SELECT 'busy time of requests, ns', attributed::HUGEINT, ns::HUGEINT, attributed = ns FROM held, charged
UNION ALL
SELECT 'of requests one by one, ns', charged::HUGEINT, requested::HUGEINT, charged = requested FROM compared
UNION ALL
SELECT 'cost, picodollars: startup + busy + idle + down', (usd * 1000000000000)::HUGEINT, (parts * 1000000000000)::HUGEINT, usd = parts FROM money
UNION ALL
SELECT 'cost of requests, picodollars', (used * 1000000000000)::HUGEINT, (p.usd * 1000000000000)::HUGEINT, used = p.usd FROM money, paid p
ORDER BY what
