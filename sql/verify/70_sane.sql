-- I8: no view shows a negative or impossible duration.
SELECT 'requests with a negative, infinite or undefined duration' AS what, 0 AS expected, count(*) AS found, found = 0 AS held
FROM v1.requests
WHERE NOT (coalesce(ttft_seconds, 0) >= 0 AND isfinite(coalesce(ttft_seconds, 0)::DOUBLE)
    AND coalesce(tpot_seconds, 0) >= 0 AND isfinite(coalesce(tpot_seconds, 0)::DOUBLE)
    AND coalesce(e2e_seconds, 0) >= 0 AND isfinite(coalesce(e2e_seconds, 0)::DOUBLE)
    AND coalesce(queue_seconds, 0) >= 0 AND isfinite(coalesce(queue_seconds, 0)::DOUBLE)
    AND coalesce(prefill_seconds, 0) >= 0 AND isfinite(coalesce(prefill_seconds, 0)::DOUBLE)
    AND coalesce(decode_seconds, 0) >= 0 AND isfinite(coalesce(decode_seconds, 0)::DOUBLE))
