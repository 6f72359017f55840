-- Lengths
--
-- How long prompts and answers are, a row a measure and group: prompt, cached (inside the prompt), output, reasoning (inside
-- the output), and total = prompt + output. Of requests that ended, whatever the outcome, with the engines' counts; n have the
-- measure, of finished. From facts: exact percentiles. From windows: of prompt and output, at most 1 % off, also where the facts
-- have expired.
--
-- param from TIMESTAMP: Start of the range, inclusive, UTC; the first request where not given.
-- param to TIMESTAMP: End of the range, exclusive, UTC; past the last request where not given.
-- param by VARCHAR = model_class {all, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class, model_class, tenant, source, hour, day}: What to group by; model_class is a model's request class. Windows know all, model, model_version, adapter, instance, request_class and model_class.
-- param zone VARCHAR = UTC: Time zone of hours and days.
-- param basis VARCHAR = facts {facts, windows}: Whether to read request rows or window sketches.
--
-- unit mean, p50, p90, p95, p99, max: tokens
-- optional p90, finished, max, mean
-- horizon complete
-- layer lengths
-- chart bars "Prompt": p50, p95, p99 over group where measure = prompt
-- chart bars "Output": p50, p95, p99 over group where measure = output
WITH span AS (
    SELECT since, until FROM v1.fact_range($from, $to) WHERE $basis = 'facts'
    UNION ALL
    SELECT since, until FROM v1.window_range($from, $to) WHERE $basis = 'windows'
),
-- One row a request and measure that its leg speaks for.
said AS (
    SELECT key, unnest([
        {place: 1, measure: 'prompt', speaks: counts_prompt, tokens: prompt_tokens},
        {place: 2, measure: 'cached', speaks: counts_prompt, tokens: cached_tokens},
        {place: 3, measure: 'output', speaks: counts_output, tokens: output_tokens},
        {place: 4, measure: 'reasoning', speaks: counts_output, tokens: reasoning_tokens},
        {place: 5, measure: 'total', speaks: counts_output, tokens: prompt_tokens + output_tokens}
    ], recursive := true)
    FROM v1.grouped_requests($by, zone := $zone)
    CROSS JOIN span
    WHERE $basis = 'facts'
        AND finished_at >= since
        AND finished_at < until
),
from_facts AS (
    SELECT
        key,
        place,
        measure,
        count(tokens) AS n,
        count(*) AS finished,
        v1.ratio(sum(tokens), count(tokens)) AS mean,
        quantile_cont(tokens, [0.5, 0.9, 0.95, 0.99]) AS q,
        max(tokens) AS max
    FROM said
    WHERE speaks
    GROUP BY key, place, measure
),
from_windows AS (
    SELECT
        key,
        CASE measure WHEN 'prompt_length' THEN 1 ELSE 3 END AS place,
        replace(measure, '_length', '') AS measure,
        n,
        NULL::BIGINT AS finished,
        mean,
        [p50, p90, p95, p99]::DOUBLE[] AS q,
        max
    FROM v1.group_percentiles($by, CASE WHEN $basis = 'windows' THEN ['prompt_length', 'output_length'] END, $from, $to)
)
SELECT
    key AS "group",
    measure,
    n,
    finished,
    mean,
    q[1] AS p50,
    q[2] AS p90,
    q[3] AS p95,
    q[4] AS p99,
    max,
    since AS window_from,
    until AS window_to
FROM (SELECT * FROM from_facts UNION ALL SELECT * FROM from_windows) rows, span
ORDER BY key NULLS LAST, place;
