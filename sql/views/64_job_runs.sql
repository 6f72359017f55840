-- One row a job and period that it ran for: how that went. state is done, failed or running; error is that of the last attempt,
-- seal what its reports read as of, files what was delivered. A running one of a process that was killed is run again.
CREATE OR REPLACE VIEW v1.job_runs AS
SELECT
    job,
    period,
    arg_max(period_from, commit) AS period_from,
    arg_max(period_to, commit) AS period_to,
    arg_max(zone, commit) AS zone,
    arg_max(state, commit) AS state,
    max(attempts) AS attempts,
    max(changed_at) FILTER (state = 'running') AS started_at,
    max(changed_at) AS changed_at,
    CASE WHEN arg_max(state, commit) <> 'running' THEN max(changed_at) END AS finished_at,
    arg_max({'error': error}, commit).error AS error,
    arg_max(seal, commit) AS seal,
    arg_max({'files': files}, commit).files AS files
FROM main.job_runs
GROUP BY job, period;
