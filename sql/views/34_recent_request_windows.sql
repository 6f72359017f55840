-- The last seconds, from the requests that ended: one row a tier, window and key, as in v1.request_windows but for what is not
-- written there yet. Windows are written once the watermark has passed their end; here a mark of a request counts where
-- its partition has written no window that far (v1.progress.windows_through). So the two can be joined by UNION ALL BY NAME and
-- added up: nothing is counted twice, in any tier. Filter on ONE level_seconds.
-- All of it is provisional. It has the measures that are booked at their moment; tokens and times are spread over the life of a
-- request, and of a request at work a part may be written already: they are not here (NULL, not 0). A request that is still open has
-- no row yet, so arrivals, first_tokens and clients_gone are low until it ends or its window is written. What ends late,
-- behind windows_through, and what is told anew after its end are in neither of the two, or there as it was told first, until the
-- partition writes next, 10 s of event time later at most. Names are the true ones where windows may say __other__.
CREATE OR REPLACE VIEW v1.recent_request_windows AS
WITH marks AS (
    SELECT
        r.*,
        p.windows_through,
        unnest([
            {'mark': 'received', 'at': r.received_at}, {'mark': 'first_token', 'at': r.first_token_at},
            {'mark': 'client_gone', 'at': r.client_gone_at}, {'mark': 'finished', 'at': r.finished_at}
        ], recursive := true)
    FROM main.requests r
    JOIN main.progress p ON p.topic = r.topic AND p.partition = r.partition
    -- Of a row that replaced another the marks before are not known: one of them may be in a window that is written.
    WHERE p.windows_through IS NULL
        OR (
            epoch_ns(greatest(r.received_at, r.first_token_at, r.client_gone_at, r.finished_at)) >= p.windows_through
            AND coalesce(r.revision, 0) = 0
        )
),
counted AS (
    SELECT * EXCLUDE (mark), mark, mark = 'finished' AS ended, coalesce(outcome, 'unknown') AS ending
    FROM marks
    WHERE coalesce(epoch_ns("at") >= windows_through, "at" IS NOT NULL)
)
SELECT
    level_seconds,
    v1.window_of(level_seconds, "at") AS window_start,
    role,
    instance,
    model,
    model_version,
    adapter,
    request_class,
    count(*) FILTER (mark = 'received') AS arrivals,
    count(*) FILTER (ended) AS finished,
    count(*) FILTER (ended AND ending = 'ok') AS ok,
    count(*) FILTER (ended AND ending = 'error') AS errors,
    count(*) FILTER (ended AND ending = 'timeout') AS timeouts,
    count(*) FILTER (ended AND ending = 'rejected') AS rejected,
    count(*) FILTER (ended AND ending = 'cancelled') AS cancelled,
    count(*) FILTER (ended AND ending = 'lost') AS lost,
    count(*) FILTER (ended AND ending = 'unknown') AS unknown_outcome,
    count(*) FILTER (ended AND http_status // 100 = 4) AS http_4xx,
    count(*) FILTER (ended AND http_status // 100 = 5) AS http_5xx,
    count(*) FILTER (mark = 'first_token') AS first_tokens,
    count(*) FILTER (mark = 'client_gone') AS clients_gone,
    v1.bigint(coalesce(sum(preemptions) FILTER (ended), 0)) AS preemptions,
    count(*) FILTER (ended AND ending = 'ok' AND output_tokens IS NULL AND coalesce(output_seen_tokens, 0) = 0) AS unknown_usage,
    count(*) FILTER (
        ended AND coalesce(cached_local_tokens, cached_external_tokens, cached_host_tokens) IS NOT NULL
    ) AS cache_known,
    count(*) FILTER (ended AND late) AS late_requests
FROM counted
CROSS JOIN (VALUES (10::BIGINT), (60), (900), (86400)) tiers(level_seconds)
GROUP BY ALL;
