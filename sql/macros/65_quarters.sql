-- Costs are kept by quarter of an hour: what of a range is whole quarters.

-- The quarter of an hour that a time lies in.
CREATE OR REPLACE MACRO v1.quarter_of(t) AS
    time_bucket(INTERVAL 15 MINUTE, t);

-- A time of UTC as clocks in a time zone show it.
CREATE OR REPLACE MACRO v1.in_zone(t, zone) AS
    (t AT TIME ZONE 'UTC') AT TIME ZONE zone;

-- What reports group costs by, where it is of the instance. The columns are given one by one, as for v1.request_group.
CREATE OR REPLACE MACRO v1.cost_group(
    kind, model, model_version, deployment, namespace, cluster, region, node, pod, instance, gpu_type, engine, engine_version, quarter, zone
) AS
    CASE kind
        WHEN 'all' THEN 'all'
        WHEN 'model' THEN model
        WHEN 'model_version' THEN v1.pair(model, '@', model_version)
        WHEN 'deployment' THEN deployment
        WHEN 'namespace' THEN namespace
        WHEN 'cluster' THEN cluster
        WHEN 'region' THEN region
        WHEN 'node' THEN node
        WHEN 'pod' THEN pod
        WHEN 'instance' THEN instance
        WHEN 'gpu_type' THEN gpu_type
        WHEN 'engine' THEN v1.pair(engine, ' ', engine_version)
        WHEN 'day' THEN strftime(v1.in_zone(quarter, zone), '%Y-%m-%d')
        WHEN 'hour' THEN strftime(v1.in_zone(quarter, zone), '%Y-%m-%d %H:00')
        WHEN 'month' THEN strftime(v1.in_zone(quarter, zone), '%Y-%m')
    END;

-- Why the GPU time of a request helped no one, the first that holds; NULL where it did.
CREATE OR REPLACE MACRO v1.waste_reason(probe, outcome, retry) AS
    CASE
        WHEN probe THEN 'health_probe'
        WHEN outcome IN ('error', 'timeout', 'lost') THEN 'failed'
        WHEN outcome = 'cancelled' THEN 'cancelled'
        WHEN retry THEN 'retry'
    END;

-- What a batch of another size does to the GPU time of a decoded token by a fit, as the logarithm of it: a token bears its share of what a
-- pass takes anyhow, and its own work over its context.
CREATE OR REPLACE MACRO v1.batch_log(pass_fs, sequence_fs, kv_token_fs, context, batch_was, batch_is) AS
    CASE
        WHEN pass_fs > 0 AND batch_was > 0 AND batch_is > 0
        THEN ln((pass_fs / batch_is + sequence_fs + kv_token_fs * context) / (pass_fs / batch_was + sequence_fs + kv_token_fs * context))
    END;
