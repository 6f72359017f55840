-- The range of a report about costs, in whole quarters of an hour: all that is attributed where it is not given.
CREATE OR REPLACE MACRO v1.cost_span(range_from, range_to) AS TABLE
SELECT
    coalesce(v1.quarter_of(range_from::TIMESTAMP), first_at) AS since,
    coalesce(range_to::TIMESTAMP, last_at) AS until
FROM (SELECT min(quarter)::TIMESTAMP AS first_at, max(until)::TIMESTAMP AS last_at FROM main.allocations);
