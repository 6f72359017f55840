-- The sources send each request into one partition, and one source speaks for an instance's role. Shown only: what they told is kept.
SELECT what, 0 AS expected, count(kind) AS found, true AS held
FROM (VALUES ('requests in two partitions, by instance and role', 'request_in_two_partitions'),
    ('instances and roles told of by two sources', 'two_sources')) named(what, kind_of)
LEFT JOIN v1.anomalies ON kind = kind_of
GROUP BY what
ORDER BY what
