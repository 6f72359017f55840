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
    sum(arrivals)::BIGINT AS arrivals,
    sum(finished)::BIGINT AS finished,
    sum(ok)::BIGINT AS ok,
    sum(errors)::BIGINT AS errors,
    sum(timeouts)::BIGINT AS timeouts,
    sum(rejected)::BIGINT AS rejected,
    sum(cancelled)::BIGINT AS cancelled,
    sum(lost)::BIGINT AS lost,
    sum(unknown_outcome)::BIGINT AS unknown_outcome,
    sum(http_4xx)::BIGINT AS http_4xx,
    sum(http_5xx)::BIGINT AS http_5xx,
    sum(first_tokens)::BIGINT AS first_tokens,
    sum(clients_gone)::BIGINT AS clients_gone,
    sum(preemptions)::BIGINT AS preemptions,
    sum(unknown_usage)::BIGINT AS unknown_usage,
    sum(cache_known)::BIGINT AS cache_known,
    sum(late_requests)::BIGINT AS late_requests,
    sum(prompt_tokens)::BIGINT AS prompt_tokens,
    sum(cached_tokens)::BIGINT AS cached_tokens,
    sum(cache_known_prompt_tokens)::BIGINT AS cache_known_prompt_tokens,
    sum(output_tokens)::BIGINT AS output_tokens,
    sum(reasoning_tokens)::BIGINT AS reasoning_tokens,
    v1.seconds(sum(waiting_ns)) AS waiting_seconds,
    v1.seconds(sum(running_ns)) AS running_seconds,
    v1.seconds(sum(prefill_ns)) AS prefill_seconds,
    v1.seconds(sum(decode_ns)) AS decode_seconds
FROM v1.request_window_deltas
GROUP BY ALL;
