-- What reports group requests by.

-- The group of a row of v1.requests. Hour and day are of the end, as local clocks show it (v1.in_zone). The columns are
-- given one by one: a whole row in their place is built in full, which takes a report twice as long.
CREATE OR REPLACE MACRO v1.request_group(
    kind, model, model_version, adapter, deployment, namespace, cluster, node, pod, instance, gpu_type, request_class,
    tenant, source, local_finished_at
) AS
    CASE kind
        WHEN 'all' THEN 'all'
        WHEN 'model' THEN model
        WHEN 'model_version' THEN v1.pair(model, '@', model_version)
        WHEN 'adapter' THEN adapter
        WHEN 'deployment' THEN deployment
        WHEN 'namespace' THEN namespace
        WHEN 'cluster' THEN cluster
        WHEN 'node' THEN node
        WHEN 'pod' THEN pod
        WHEN 'instance' THEN instance
        WHEN 'gpu_type' THEN gpu_type
        WHEN 'request_class' THEN request_class
        WHEN 'model_class' THEN v1.pair(model, ' / ', request_class)
        WHEN 'tenant' THEN tenant
        WHEN 'source' THEN source
        WHEN 'hour' THEN strftime(local_finished_at, '%Y-%m-%d %H:00')
        WHEN 'day' THEN strftime(local_finished_at, '%Y-%m-%d')
    END;

-- The group of a row of v1.request_windows or v1.request_sketches: windows know no more. It is asked only where windows
-- are read.
CREATE OR REPLACE MACRO v1.window_group(kind, model, model_version, adapter, instance, request_class) AS
    CASE kind
        WHEN 'all' THEN 'all'
        WHEN 'model' THEN model
        WHEN 'model_version' THEN v1.pair(model, '@', model_version)
        WHEN 'adapter' THEN adapter
        WHEN 'instance' THEN instance
        WHEN 'request_class' THEN request_class
        WHEN 'model_class' THEN v1.pair(model, ' / ', request_class)
        ELSE error('windows do not know this grouping: choose all, model, model_version, adapter, instance, request_class or model_class')
    END;
