-- Corrections
--
-- What changed in a sealed period since its seal, by what came late or was told anew: each measure of request windows
-- (times in ns), and of each distribution the number of observations and their sum. sealed + difference = now. Only
-- what changed has a row; a role is never summed over.
--
-- param seal VARCHAR: Name of the seal; the last one where not given.
-- param by VARCHAR = model {all, model, model_version, adapter, instance, request_class}: What to group by.
-- param per VARCHAR = period {period, day, window}: What a row is of: the whole period, a day, or a window (15 minutes, or less where the period does not begin and end on one).
--
-- optional seal
WITH sealed AS (
    SELECT name, period_from, period_to, commit, v1.tier_for(period_from, period_to) AS tier
    FROM v1.seals
    WHERE name = $seal::VARCHAR OR $seal::VARCHAR IS NULL
    ORDER BY sealed_at DESC, name DESC
    LIMIT 1
),
counted AS (
    UNPIVOT (
        SELECT d.* EXCLUDE (level_seconds)
        FROM v1.request_window_deltas d
        SEMI JOIN sealed s ON d.level_seconds = s.tier AND d.window_start >= s.period_from AND d.window_start < s.period_to
    ) ON COLUMNS(* EXCLUDE (window_start, role, instance, model, model_version, adapter, request_class, commit))
    INTO NAME measure VALUE value
),
observed AS (
    SELECT * EXCLUDE (measure, n, zero, total, min, max, idx, cnt, level_seconds), measure || part.name AS measure, part.value AS value
    FROM (
        SELECT *, unnest([{'name': '_n', 'value': n::HUGEINT}, {'name': '_total', 'value': total::HUGEINT}]) AS part
        FROM v1.request_sketch_deltas d
        SEMI JOIN sealed s ON d.level_seconds = s.tier AND d.window_start >= s.period_from AND d.window_start < s.period_to
    )
),
deltas AS (
    SELECT * FROM counted
    UNION ALL BY NAME
    SELECT * FROM observed
)
SELECT
    s.name AS seal,
    CASE $per
        WHEN 'period' THEN s.period_from
        WHEN 'day' THEN greatest(date_trunc('day', d.window_start)::TIMESTAMP, s.period_from)
        ELSE d.window_start
    END AS since,
    d.role,
    CASE $by
        WHEN 'all' THEN 'all'
        WHEN 'model' THEN d.model
        WHEN 'model_version' THEN v1.pair(d.model, '@', d.model_version)
        WHEN 'adapter' THEN d.adapter
        WHEN 'instance' THEN d.instance
        WHEN 'request_class' THEN d.request_class
    END AS "group",
    d.measure,
    v1.bigint(coalesce(sum(d.value) FILTER (d.commit <= s.commit), 0)) AS sealed,
    v1.bigint(sum(d.value)) AS now,
    v1.bigint(sum(d.value) FILTER (d.commit > s.commit)) AS difference
FROM deltas d, sealed s
GROUP BY ALL
HAVING coalesce(sum(d.value) FILTER (d.commit > s.commit), 0) <> 0
ORDER BY since, role, "group", measure;
