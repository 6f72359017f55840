-- Job runs
--
-- What scheduled jobs did: each period that a job ran for, newest first. A failed run is tried again, later each time; its error
-- says why. Files lie in the job's folder under the period's name, and read as of the seal.
--
-- param job VARCHAR: Name of the job; all where not given.
--
-- optional zone, seal, started_at, attempts, files
SELECT
    job,
    period,
    state,
    period_from,
    period_to,
    zone,
    attempts,
    started_at,
    finished_at,
    len(files) AS files,
    seal,
    error
FROM v1.job_runs
WHERE job = $job::VARCHAR OR $job::VARCHAR IS NULL
ORDER BY period_to DESC, job, period;
