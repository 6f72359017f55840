-- One row a request's leg, attempt and choice, once it ended.
-- One that its source gave no id has its place as id: topic/partition/lineage/offset/idx.
-- Placement that the row itself does not say is its instance's as of the row's first mark.
CREATE OR REPLACE VIEW v1.requests AS
WITH told AS (
    SELECT
        *,
        coalesce(received_at, queued_at, scheduled_at, first_token_at, finished_at) AS first_mark_at,
        CASE
            WHEN coalesce(cached_local_tokens, cached_external_tokens, cached_host_tokens) IS NOT NULL
            THEN coalesce(cached_local_tokens, 0) + coalesce(cached_external_tokens, 0) + coalesce(cached_host_tokens, 0)
        END AS cached_said,
        coalesce(output_tokens, CASE WHEN output_seen_tokens > 0 THEN output_seen_tokens END) AS output_known
    FROM main.requests
)
SELECT
    coalesce(r.request_id, concat_ws('/', r.topic, r.partition, r.lineage, r."offset", r.idx)) AS request_id,
    r.instance,
    r.dp_index,
    coalesce(r.role, i.role) AS role,
    r.attempt,
    r.choice,
    r.life,
    r.join_key,
    r.trace_id,
    coalesce(r.model, i.model) AS model,
    coalesce(r.model_version, i.model_version) AS model_version,
    r.adapter,
    coalesce(r.deployment, i.deployment) AS deployment,
    coalesce(r.namespace, i.namespace) AS namespace,
    i.cluster,
    coalesce(r.node, i.node) AS node,
    coalesce(r.pod, i.pod) AS pod,
    i.gpu_type,
    i.engine,
    i.engine_version,
    i.model AS instance_model,
    i.model_version AS instance_model_version,
    i.price_key,
    i.kv_block_tokens,
    r.request_class,
    v1.hash_text(r.tenant) AS tenant,
    v1.hash_text(r.session) AS session,
    r.service_tier,
    r.received_at::TIMESTAMP AS received_at,
    r.queued_at::TIMESTAMP AS queued_at,
    r.scheduled_at::TIMESTAMP AS scheduled_at,
    r.first_byte_at::TIMESTAMP AS first_byte_at,
    r.first_token_at::TIMESTAMP AS first_token_at,
    r.first_answer_at::TIMESTAMP AS first_answer_at,
    r.client_gone_at::TIMESTAMP AS client_gone_at,
    r.last_token_at::TIMESTAMP AS last_token_at,
    r.finished_at::TIMESTAMP AS finished_at,
    coalesce(r.outcome, 'unknown') AS outcome,
    r.finish_reason,
    r.http_status,
    r.prompt_tokens,
    -- Impossible counts are clamped here, and flagged; the table keeps what was said.
    CASE WHEN r.cached_said IS NOT NULL THEN least(r.cached_said, r.prompt_tokens) END AS cached_tokens,
    r.cached_local_tokens,
    r.cached_external_tokens,
    r.cached_host_tokens,
    r.cache_write_5m_tokens,
    r.cache_write_1h_tokens,
    r.output_known AS output_tokens,
    r.reasoning_tokens,
    r.drafted_tokens,
    r.accepted_tokens,
    r.recomputed_tokens,
    r.prefilled_tokens,
    v1.seconds(r.ttft_ns) AS ttft_seconds,
    CASE WHEN r.output_known >= 2 THEN v1.seconds(r.decode_ns) / (r.output_known - 1) END AS tpot_seconds,
    v1.seconds(r.e2e_ns) AS e2e_seconds,
    v1.seconds(r.queue_ns) AS queue_seconds,
    v1.seconds(r.rest_ns) AS rest_seconds,
    v1.seconds(r.prefill_ns) AS prefill_seconds,
    v1.seconds(r.decode_ns) AS decode_seconds,
    -- Other kinds of TTFT, as measured: they start elsewhere and are never mixed with ttft_seconds.
    v1.seconds(r.measured_ttft_gateway_ns) AS ttft_gateway_seconds,
    v1.seconds(r.measured_ttft_engine_ns) AS ttft_engine_seconds,
    v1.seconds(r.measured_ttft_scheduled_ns) AS ttft_scheduled_seconds,
    v1.seconds(r.measured_ttft_byte_ns) AS ttft_byte_seconds,
    v1.seconds(r.measured_ttft_answer_ns) AS ttft_answer_seconds,
    v1.seconds(r.measured_tokenize_ns) AS tokenize_seconds,
    v1.seconds(r.measured_detokenize_ns) AS detokenize_seconds,
    r.preemptions,
    v1.seconds(r.preempted_ns) AS preempted_seconds,
    v1.seconds(r.kv_transfer_ns) AS kv_transfer_seconds,
    r.kv_transfer_bytes,
    r.running_requests,
    r.waiting_requests,
    r.running_tokens,
    r.waiting_tokens,
    r.stream,
    r.max_tokens,
    r.priority,
    r.images,
    r.probe,
    r.retry,
    r.response_cache_hit,
    r.step_first,
    r.step_last,
    v1.flag_names(
        coalesce(r.flags, 0) | CASE WHEN r.cached_said > r.prompt_tokens THEN v1.flag_bit('cached_over_prompt') ELSE 0 END
    ) AS flags,
    coalesce(r.late, FALSE) AS late,
    r.events,
    r.revision,
    r.producer,
    r.boot,
    r.source,
    r.topic,
    r.partition,
    r.lineage,
    r."offset",
    r.idx,
    r.commit
FROM told r
-- A boot's interval ends where the next begins: at most one matches.
LEFT JOIN v1.instances i
    ON i.instance = r.instance
    AND i.from_at <= r.first_mark_at
    AND coalesce(i.to_at, 'infinity'::TIMESTAMP) > r.first_mark_at;
