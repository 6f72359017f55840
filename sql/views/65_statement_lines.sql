-- One row a line of a statement that a job published: what of its own period was charged to whom, or what it corrected of an
-- earlier one. The lines of a period add up to what has been charged for it so far. item is NULL where nobody is charged by name.
CREATE OR REPLACE VIEW v1.statement_lines AS
SELECT
    book,
    grouping,
    seal,
    statement_from,
    statement_to,
    period_from,
    period_to,
    item,
    state,
    usd,
    commit
FROM main.statement_lines;
