-- What rows of windows add up to, as one number: a level holds what the level below it gave, so the two are compared by it.

CREATE OR REPLACE MACRO v1.windows_total(finished, output_tokens, running_ns) AS
    sum(finished) + sum(output_tokens) + sum(running_ns);

CREATE OR REPLACE MACRO v1.sketches_total(n, total, cnt) AS
    sum(n) + sum(total) + sum(list_sum(cnt)::BIGINT);

-- parts: all that a row sums beside its samples, as a list.
CREATE OR REPLACE MACRO v1.samples_total(samples, parts) AS
    sum(samples) + coalesce(sum(list_sum(parts)), 0);
