-- Sums over windows of event time: one row a tier, window and key. Filter on ONE level_seconds: each tier holds everything.
-- Requests count in the window of their mark; tokens and times are spread over the time in which they happened.
-- running_seconds / level_seconds is the mean number of running requests.
CREATE OR REPLACE VIEW v1.request_windows AS
SELECT
    level_seconds,
    window_start,
    role,
    instance,
    model,
    model_version,
    adapter,
    request_class,
    -- The measures of aggregate/measures.go, whichever they are: counts as they are, nanoseconds as seconds.
    v1.bigint(sum(COLUMNS(lambda name:
        NOT ends_with(name, '_ns')
        AND name NOT IN ('level_seconds', 'window_start', 'role', 'instance', 'model', 'model_version', 'adapter', 'request_class', 'commit')
    ))) AS '\0',
    v1.seconds(sum(COLUMNS('(.*)_ns$'))) AS '\1_seconds'
FROM v1.request_window_deltas
GROUP BY ALL;
