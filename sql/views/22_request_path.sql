-- One row a logical request: its legs beside each other, joined by join_key; a leg without one stands alone.
-- Of several legs of one role (retries, choices) the columns are those of the last attempt, of its choice that ended last,
-- and legs counts them all. Marks and durations are of each leg's own clock: between legs, compare durations.
-- other_legs are clients' and those of an unknown role.
CREATE OR REPLACE VIEW v1.request_path AS
WITH legs AS (
    SELECT
        join_key,
        CASE WHEN join_key IS NULL THEN (topic, partition, lineage, "offset", idx) END AS alone,
        coalesce(role, '') AS role,
        model,
        {
            instance: instance, attempt: attempt, outcome: outcome, http_status: http_status,
            received_at: received_at, first_byte_at: first_byte_at, first_token_at: first_token_at, client_gone_at: client_gone_at,
            finished_at: finished_at, ttft_seconds: ttft_seconds, e2e_seconds: e2e_seconds, scheduled_at: scheduled_at,
            queue_seconds: queue_seconds, prefill_seconds: prefill_seconds, kv_transfer_seconds: kv_transfer_seconds, last_token_at: last_token_at,
            decode_seconds: decode_seconds
        } AS leg,
        (
            coalesce(attempt, 0), coalesce(finished_at, '-infinity'::TIMESTAMP), -coalesce(choice, 0),
            topic, partition, lineage, "offset", idx
        ) AS place,
        choice,
        received_at,
        finished_at
    FROM v1.requests
),
paths AS (
    SELECT
        join_key,
        count(*) AS legs,
        count(*) FILTER (role NOT IN ('gateway', 'prefill', 'decode', 'engine')) AS other_legs,
        count(DISTINCT choice) AS choices,
        min(model) AS model,
        min(received_at) AS received_at,
        max(finished_at) AS finished_at,
        arg_max(leg, place) FILTER (role = 'gateway') AS gateway,
        arg_max(leg, place) FILTER (role = 'prefill') AS prefill,
        arg_max(leg, place) FILTER (role = 'decode') AS decode,
        arg_max(leg, place) FILTER (role = 'engine') AS engine
    FROM legs
    GROUP BY join_key, alone
)
SELECT
    join_key,
    model,
    legs,
    other_legs,
    choices,
    received_at,
    finished_at,
    gateway.instance AS gateway_instance,
    gateway.attempt AS gateway_attempt,
    gateway.outcome AS gateway_outcome,
    gateway.http_status AS gateway_http_status,
    gateway.received_at AS gateway_received_at,
    gateway.first_byte_at AS gateway_first_byte_at,
    gateway.first_token_at AS gateway_first_token_at,
    gateway.client_gone_at AS gateway_client_gone_at,
    gateway.finished_at AS gateway_finished_at,
    gateway.ttft_seconds AS gateway_ttft_seconds,
    gateway.e2e_seconds AS gateway_e2e_seconds,
    prefill.instance AS prefill_instance,
    prefill.attempt AS prefill_attempt,
    prefill.outcome AS prefill_outcome,
    prefill.received_at AS prefill_received_at,
    prefill.scheduled_at AS prefill_scheduled_at,
    prefill.finished_at AS prefill_finished_at,
    prefill.queue_seconds AS prefill_queue_seconds,
    prefill.prefill_seconds AS prefill_prefill_seconds,
    prefill.kv_transfer_seconds AS prefill_kv_transfer_seconds,
    prefill.e2e_seconds AS prefill_e2e_seconds,
    decode.instance AS decode_instance,
    decode.attempt AS decode_attempt,
    decode.outcome AS decode_outcome,
    decode.received_at AS decode_received_at,
    decode.scheduled_at AS decode_scheduled_at,
    decode.first_token_at AS decode_first_token_at,
    decode.last_token_at AS decode_last_token_at,
    decode.finished_at AS decode_finished_at,
    decode.queue_seconds AS decode_queue_seconds,
    decode.decode_seconds AS decode_decode_seconds,
    decode.kv_transfer_seconds AS decode_kv_transfer_seconds,
    decode.e2e_seconds AS decode_e2e_seconds,
    engine.instance AS engine_instance,
    engine.attempt AS engine_attempt,
    engine.outcome AS engine_outcome,
    engine.received_at AS engine_received_at,
    engine.scheduled_at AS engine_scheduled_at,
    engine.first_token_at AS engine_first_token_at,
    engine.last_token_at AS engine_last_token_at,
    engine.finished_at AS engine_finished_at,
    engine.queue_seconds AS engine_queue_seconds,
    engine.prefill_seconds AS engine_prefill_seconds,
    engine.decode_seconds AS engine_decode_seconds,
    engine.ttft_seconds AS engine_ttft_seconds,
    engine.e2e_seconds AS engine_e2e_seconds
FROM paths;
