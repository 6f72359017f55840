-- One row a thing that sources must not do, and that would count requests twice or tear them apart.
-- request_in_two_partitions: events of one request went to several partitions, where they cannot meet: requests says how
-- many ids of the instance and role did. two_sources: the rows of one instance and role come from several sources:
-- requests says how many rows; serve --fold-authority INSTANCE=SOURCE makes one of them count alone.
CREATE OR REPLACE VIEW v1.anomalies AS
WITH torn AS (
    SELECT
        topic,
        instance,
        role,
        min(finished_at) AS first_at,
        max(finished_at) AS last_at,
        list(DISTINCT coalesce(source, '')) AS sources
    FROM main.requests
    WHERE request_id IS NOT NULL
    GROUP BY topic, instance, dp_index, role, boot, request_id, attempt, choice, ordinal
    HAVING min(partition) <> max(partition)
)
SELECT
    'request_in_two_partitions' AS kind,
    topic,
    instance,
    role,
    list_sort(list_distinct(flatten(list(sources)))) AS sources,
    count(*) AS requests,
    min(first_at)::TIMESTAMP AS first_at,
    max(last_at)::TIMESTAMP AS last_at
FROM torn
GROUP BY topic, instance, role
UNION ALL
SELECT
    'two_sources',
    topic,
    instance,
    role,
    list_sort(list(DISTINCT coalesce(source, ''))),
    count(*),
    min(finished_at)::TIMESTAMP,
    max(finished_at)::TIMESTAMP
FROM main.requests
GROUP BY topic, instance, role
HAVING count(DISTINCT coalesce(source, '')) > 1;
