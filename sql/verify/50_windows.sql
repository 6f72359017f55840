-- I2: the windows sum to the facts once the last tick flushed them; before that they hold no more than the facts.
-- Where a log was replaced behind the last state of its fold (v1.lineages), its last windows went with it: then they are
-- shown and prove nothing.
WITH flushed AS (
    SELECT coalesce(bool_and(EXISTS (
        FROM ticks t
        WHERE t.topic = p.topic AND t.partition = p.partition AND t.lineage = p.lineage AND t."offset" = p.next_offset AND t.flush
    )), true) AS all_of_it,
    EXISTS (FROM lineages WHERE state_offset < at_offset) AS some_lost
    FROM progress p
    WHERE p.next_offset > 0
),
facts AS (
    SELECT count(finished_at) AS finished,
        count(*) FILTER (finished_at IS NOT NULL AND outcome = 'ok') AS ok,
        coalesce(sum(coalesce(output_tokens, output_seen_tokens)) FILTER (coalesce(last_token_at, finished_at) IS NOT NULL), 0) AS output_tokens,
        coalesce(sum(prompt_tokens) FILTER (coalesce(choice, 0) = 0 AND coalesce(first_token_at, finished_at) IS NOT NULL), 0) AS prompt_tokens
    FROM requests
),
-- What retention removed counts on its side.
removed AS (
    SELECT "table",
        {'finished': coalesce(sum(finished), 0), 'ok': coalesce(sum(ok), 0), 'output_tokens': coalesce(sum(output_tokens), 0),
        'prompt_tokens': coalesce(sum(prompt_tokens), 0)} AS n
    FROM (
        SELECT "table", finished, ok, output_tokens, prompt_tokens FROM retention WHERE coalesce(level, 10) = 10
        UNION ALL
        VALUES ('requests', 0, 0, 0, 0), ('request_windows', 0, 0, 0, 0)
    )
    GROUP BY "table"
),
windows AS (
    SELECT coalesce(sum(finished), 0) AS finished, coalesce(sum(ok), 0) AS ok,
        coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(prompt_tokens), 0) AS prompt_tokens
    FROM request_windows
    WHERE level = 10
),
pairs AS (
    SELECT unnest(['finished', 'ok', 'output_tokens', 'prompt_tokens']) AS what,
        unnest([f.finished + rf.n.finished, f.ok + rf.n.ok, f.output_tokens + rf.n.output_tokens, f.prompt_tokens + rf.n.prompt_tokens]) AS expected,
        unnest([w.finished + rw.n.finished, w.ok + rw.n.ok, w.output_tokens + rw.n.output_tokens, w.prompt_tokens + rw.n.prompt_tokens]) AS found
    FROM facts f, windows w, (FROM removed WHERE "table" = 'requests') rf, (FROM removed WHERE "table" = 'request_windows') rw
)
SELECT what, expected, found, some_lost OR CASE WHEN all_of_it THEN expected = found ELSE found <= expected END AS held
FROM pairs, flushed
ORDER BY what
