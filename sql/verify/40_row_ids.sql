-- I1: no row is there twice.
SELECT 'requests' AS what, count(*) AS expected, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS found, expected = found AS held FROM requests
UNION ALL SELECT 'engine_samples', count(*) AS a, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS b, a = b FROM engine_samples
UNION ALL SELECT 'step_runs', count(*) AS a, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS b, a = b FROM step_runs
UNION ALL SELECT 'gpu_samples', count(*) AS a, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS b, a = b FROM gpu_samples
UNION ALL SELECT 'gpu_faults', count(*) AS a, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS b, a = b FROM gpu_faults
UNION ALL SELECT 'node_samples', count(*) AS a, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS b, a = b FROM node_samples
UNION ALL SELECT 'kube_samples', count(*) AS a, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS b, a = b FROM kube_samples
UNION ALL SELECT 'instance_events', count(*) AS a, count(DISTINCT (topic, partition, lineage, "offset", idx)) AS b, a = b FROM instance_events
ORDER BY what
