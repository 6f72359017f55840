-- For the benchmark of cost accuracy: forgetting what a weaker method does not know.

-- name: forget_step_runs
DELETE FROM step_runs WHERE $1 > 0

-- name: forget_fits
DELETE FROM fits WHERE $1 > 0

-- name: forget_attribution
DELETE FROM attribution WHERE $1 > 0

-- name: forget_allocations
DELETE FROM allocations WHERE $1 > 0

-- name: attributed_requests
SELECT request_id, instance, attempt, sum(prefill_ns + cached_ns)::DOUBLE AS input_ns, sum(gpu_ns)::DOUBLE AS gpu_ns
FROM v1.request_costs
GROUP BY ALL

-- name: told_requests
SELECT request_id, instance, coalesce(attempt, 0) AS attempt, prompt_tokens, output_tokens, prefill_seconds, decode_seconds, tpot_seconds, e2e_seconds
FROM v1.requests
WHERE role NOT IN ('gateway', 'client')
