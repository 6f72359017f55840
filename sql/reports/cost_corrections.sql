-- Corrections of costs
--
-- What a sealed period cost as it was published, what it costs now, and the difference, to the picodollar: by prices that were changed
-- since, by what came late, by instances that said more. Read it as of the seal: report cost_corrections --as-of NAME. bill is what
-- GPUs cost while they were held; it is startup, used, unattributed, idle and down together. Only what changed has a row; what has
-- no cost at all on one side counts as 0 there. The range is in whole quarters of an hour.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; of the sealed period where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; of the sealed period where not given.
-- param by VARCHAR = model {all, model, model_version, deployment, namespace, cluster, region, node, pod, instance, gpu_type, engine, hour, day, month}: What to group by.
-- param zone VARCHAR = UTC: Time zone of hours, days and months.
--
-- unit sealed_usd, now_usd, difference_usd: USD
-- layer cost
WITH both_times AS (
    SELECT 'sealed' AS side, * FROM v1.allocations
    UNION ALL BY NAME
    SELECT 'now' AS side, * FROM now.allocations
),
parts AS (
    SELECT
        v1.cost_group(
            $by, a.model, a.model_version, a.deployment, a.namespace, a.cluster, a.region, a.node, a.pod, a.instance, a.gpu_type,
            a.engine, a.engine_version, a.quarter, $zone
        ) AS key,
        a.side,
        unnest([
            {'place': 1, 'measure': 'bill', 'usd': a.usd},
            {'place': 2, 'measure': 'startup', 'usd': a.startup_usd},
            {'place': 3, 'measure': 'used', 'usd': a.busy_usd - a.unattributed_usd},
            {'place': 4, 'measure': 'unattributed', 'usd': a.unattributed_usd},
            {'place': 5, 'measure': 'idle', 'usd': a.idle_usd},
            {'place': 6, 'measure': 'down', 'usd': a.down_usd}
        ]) AS part
    FROM both_times a
    WHERE a.quarter >= coalesce(v1.quarter_of($from::TIMESTAMP), a.quarter)
        AND a.quarter < coalesce($to::TIMESTAMP, 'infinity'::TIMESTAMP)
),
summed AS (
    SELECT
        key,
        part.place AS place,
        part.measure AS measure,
        coalesce(sum(part.usd) FILTER (side = 'sealed'), 0) AS sealed_usd,
        coalesce(sum(part.usd) FILTER (side = 'now'), 0) AS now_usd
    FROM parts
    GROUP BY ALL
)
SELECT key AS "group", measure, sealed_usd, now_usd, now_usd - sealed_usd AS difference_usd
FROM summed
WHERE now_usd <> sealed_usd
ORDER BY key NULLS LAST, place;
