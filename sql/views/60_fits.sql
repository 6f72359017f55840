-- One row a fit: how long a forward pass of a kind of instance takes, and how well that is known. A pass takes pass_seconds, and
-- more for each prompt token that it computes, for their context (Σ p·(c + p/2)), for each token that it decodes and for each token
-- of KV cache that is read for them. rmse is relative to a pass; condition, relative_errors and inflations say how well the
-- coefficients are told apart, in that order.
CREATE OR REPLACE VIEW v1.fits AS
SELECT
    fit,
    model,
    model_version,
    gpu_type,
    tensor_parallel,
    engine,
    engine_version,
    source,
    from_at::TIMESTAMP AS from_at,
    to_at::TIMESTAMP AS to_at,
    runs,
    passes,
    pass_fs / 1e15 AS pass_seconds,
    prompt_token_fs / 1e15 AS prompt_token_seconds,
    prompt_context_fs / 1e15 AS prompt_context_seconds,
    decode_sequence_fs / 1e15 AS decode_token_seconds,
    kv_token_fs / 1e15 AS kv_token_seconds,
    rmse AS rmse_ratio,
    condition,
    relative_errors,
    inflations,
    block_spread AS speed_spread_ratio,
    warnings
FROM main.fits;
