-- Seals
--
-- Periods that were published (inferlake seal): report --as-of NAME reads up to the seal's commit. reports is the version
-- of the reports at the time: another one need not say the same. The report corrections says what changed since.
SELECT
    name,
    period_from,
    period_to,
    sealed_at,
    commit,
    hash AS reports
FROM v1.seals
ORDER BY sealed_at, name;
