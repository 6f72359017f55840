package stream

// The fields of the contract. The .proto is their published form; a test holds the two to each other.
const (
	EventProducer Field = iota
	EventBoot
	EventLane
	EventSeq
	EventSource
	EventRank
	EventInstance
	EventDPIndex
	EventRole
	EventTimeUnixNano
	EventMonoNano
	EventClockDomain
	EventSchemaVersion

	RequestRequestID
	RequestAttempt
	RequestChoice
	RequestOrdinal
	RequestPhase
	RequestOccurrence
	RequestEngineStep
	RequestJoinKey
	RequestTraceID
	RequestModel
	RequestModelVersion
	RequestAdapter
	RequestRequestClass
	RequestTenant
	RequestSession
	RequestDeployment
	RequestNamespace
	RequestNode
	RequestPod
	RequestServiceTier
	RequestOutcome
	RequestFinishReason
	RequestHTTPStatus
	RequestTokenConvention
	RequestPromptTokens
	RequestCachedLocalTokens
	RequestCachedExternalTokens
	RequestCachedHostTokens
	RequestCacheWrite5mTokens
	RequestCacheWrite1hTokens
	RequestOutputTokens
	RequestReasoningTokens
	RequestDraftedTokens
	RequestAcceptedTokens
	RequestRecomputedTokens
	RequestPrefilledTokens
	RequestQueueNano
	RequestPrefillNano
	RequestDecodeNano
	RequestE2ENano
	RequestTTFTGatewayNano
	RequestTTFTEngineNano
	RequestTTFTScheduledNano
	RequestTTFTByteNano
	RequestTTFTAnswerNano
	RequestTokenizeNano
	RequestDetokenizeNano
	RequestProbe
	RequestRetry
	RequestStream
	RequestResponseCacheHit
	RequestMaxTokens
	RequestPriority
	RequestImages
	RequestRunningRequests
	RequestWaitingRequests
	RequestRunningTokens
	RequestWaitingTokens
	RequestPreemptions
	RequestPreemptedNano
	RequestKVTransferNano
	RequestKVTransferBytes
	RequestReceivedUnixNano
	RequestQueuedUnixNano
	RequestScheduledUnixNano
	RequestFirstByteUnixNano
	RequestFirstTokenUnixNano
	RequestFirstAnswerUnixNano
	RequestClientGoneUnixNano
	RequestLastTokenUnixNano
	RequestFinishedUnixNano
	RequestITLBucket
	RequestITLCount

	EngineModel
	EngineModelVersion
	EngineDtNano
	EngineStartedUnixNano
	EngineRunningRequests
	EngineWaitingRequests
	EngineWaitingCapacityRequests
	EngineWaitingDeferredRequests
	EngineSwappedRequests
	EngineKVCacheUsageRatio
	EngineKVUsedBlocks
	EngineKVFreeBlocks
	EngineKVEvictableBlocks
	EngineKVTotalBlocks
	EngineBatchSequences
	EngineBatchTokens
	EngineMaxSequences
	EngineMaxBatchedTokens
	EnginePromptTokensTotal
	EngineComputedPromptTokensTotal
	EngineCachedLocalTokensTotal
	EngineCachedExternalTokensTotal
	EngineOutputTokensTotal
	EnginePrefixCacheQueriesTotal
	EnginePrefixCacheHitsTotal
	EnginePreemptionsTotal
	EngineEvictionsTotal
	EngineAllocationFailuresTotal
	EngineRejectionsTotal
	EngineRetractionsTotal
	EngineFinishedTotal
	EngineAbortedTotal
	EngineStepsTotal

	StepRankIndex
	StepPasses
	StepWallNano
	StepPrefillTokens
	StepPrefillContextTwice
	StepPrefillSequences
	StepDecodeSequences
	StepDecodeTokens
	StepKVTokensRead
	StepPassesTotal
	StepWallNanoTotal
	StepPrefillTokensTotal
	StepPrefillContextTwiceTotal
	StepDecodeTokensTotal
	StepKVTokensReadTotal

	GPUGPU
	GPUParentGPU
	GPUMIGProfile
	GPUGPUType
	GPUNode
	GPUDtNano
	GPUStartedUnixNano
	GPUUtilizationRatio
	GPUGraphicsActiveRatio
	GPUSMActiveRatio
	GPUSMOccupancyRatio
	GPUTensorActiveRatio
	GPUFP16ActiveRatio
	GPUFP32ActiveRatio
	GPUFP64ActiveRatio
	GPUDRAMActiveRatio
	GPUMemoryCopyRatio
	GPUEncoderRatio
	GPUDecoderRatio
	GPUFramebufferUsedMiB
	GPUFramebufferFreeMiB
	GPUFramebufferReservedMiB
	GPUSMClockMHz
	GPUMemoryClockMHz
	GPUPowerMilliwatts
	GPUTemperatureCelsius
	GPUMemoryTemperatureCelsius
	GPUThrottleReasons
	GPUEnergyMillijoulesTotal
	GPUPCIeRxBytesTotal
	GPUPCIeTxBytesTotal
	GPUNVLinkRxBytesTotal
	GPUNVLinkTxBytesTotal
	GPUPowerViolationNanoTotal
	GPUThermalViolationNanoTotal
	GPUECCSBETotal
	GPUECCDBETotal
	GPUUnavailable

	FaultGPU
	FaultNode
	FaultFault
	FaultCode
	FaultCount

	NodeNode
	NodeDtNano
	NodeStartedUnixNano
	NodeCPUUsageRatio
	NodeCPUThrottledRatio
	NodeLoad1Milli
	NodeMemoryUsedMiB
	NodeMemoryTotalMiB
	NodePageFaultsTotal
	NodeMajorPageFaultsTotal
	NodeNetworkReceiveBytesTotal
	NodeNetworkTransmitBytesTotal
	NodeNetworkErrorsTotal
	NodeNetworkDropsTotal
	NodeDiskReadBytesTotal
	NodeDiskWrittenBytesTotal
	NodeDiskBusyNanoTotal

	KubeNamespace
	KubeDeployment
	KubePod
	KubeNode
	KubeDtNano
	KubeStartedUnixNano
	KubeReadyRatio
	KubePendingPods
	KubeDesiredReplicas
	KubeReadyReplicas
	KubeAvailableReplicas
	KubeUnavailableReplicas
	KubeHPAMinReplicas
	KubeHPAMaxReplicas
	KubeHPADesiredReplicas
	KubeGPUsRequested
	KubeCPUThrottledRatio
	KubeRestartsTotal
	KubeOOMKilledTotal

	InstanceState
	InstanceLastSeq
	InstanceBootStartedUnixNano
	InstanceEngine
	InstanceEngineVersion
	InstanceModel
	InstanceModelVersion
	InstanceMaxSequences
	InstanceMaxBatchedTokens
	InstanceKVTokens
	InstanceKVBlockTokens
	InstanceMaxModelTokens
	InstanceGPUUUIDs
	InstanceGPUSharesPPM
	InstanceGPUCount
	InstanceGPUType
	InstanceTensorParallel
	InstancePipelineParallel
	InstanceDataParallel
	InstancePriceKey
	InstanceDeployment
	InstanceNamespace
	InstanceCluster
	InstanceNode
	InstancePod
	InstanceRegion

	numFields = iota
)

// Fields describes every field, indexed by Field.
var Fields = [numFields]FieldInfo{
	EventProducer:                   {Message: Envelope, Number: 1, Name: "producer", Type: Text, Merge: Identity, Doc: "Name of the process that speaks; with lane it is the record key."},
	EventBoot:                       {Message: Envelope, Number: 2, Name: "boot", Type: Text, Merge: Identity, Doc: "Id of one run of that process; a restart takes a new one."},
	EventLane:                       {Message: Envelope, Number: 3, Name: "lane", Type: Int, Merge: Identity, Doc: "Small number derived from the request id; all events of a request stay in one lane."},
	EventSeq:                        {Message: Envelope, Number: 4, Name: "seq", Type: Int, Merge: Identity, Doc: "Contiguous per (topic, producer, boot, lane), from 0; absent when the source has none."},
	EventSource:                     {Message: Envelope, Number: 5, Name: "source", Type: Text, Merge: Identity, Doc: "Source kind: engine, gateway, scrape, tail, otlp, replay, simulate, …"},
	EventRank:                       {Message: Envelope, Number: 6, Name: "rank", Type: Int, Merge: Identity, Doc: "Rank of the source, 0 to 3: of two statements the higher rank wins.", Max: 3},
	EventInstance:                   {Message: Envelope, Number: 7, Name: "instance", Type: Text, Merge: Identity, Doc: "Engine, gateway or client on whose behalf the event speaks."},
	EventDPIndex:                    {Message: Envelope, Number: 8, Name: "dp_index", Type: Int, Merge: Identity, Doc: "Data-parallel index inside the instance, from 0."},
	EventRole:                       {Message: Envelope, Number: 9, Name: "role", Type: Enum, Enum: &RoleNames, Merge: Identity, Doc: "What the instance is in the request's path."},
	EventTimeUnixNano:               {Message: Envelope, Number: 10, Name: "time_unix_nano", Type: Time, Merge: Context, Doc: "When it happened, wall clock, ns since 1970 UTC."},
	EventMonoNano:                   {Message: Envelope, Number: 11, Name: "mono_nano", Type: Int, Merge: Context, Doc: "When it happened on a monotonic clock, ns; counts only with clock_domain."},
	EventClockDomain:                {Message: Envelope, Number: 12, Name: "clock_domain", Type: Text, Merge: Context, Doc: "Names the monotonic clock; durations are taken within one domain only."},
	EventSchemaVersion:              {Message: Envelope, Number: 13, Name: "schema_version", Type: Int, Merge: Context, Doc: "1, or absent. Another version is refused."},
	RequestRequestID:                {Message: KindRequest, Number: 1, Name: "request_id", Type: Text, Merge: Identity, Doc: "Id of the request as its instance knows it. Empty: the log position stands in."},
	RequestAttempt:                  {Message: KindRequest, Number: 2, Name: "attempt", Type: Int, Merge: Identity, Doc: "Retry number, from 0."},
	RequestChoice:                   {Message: KindRequest, Number: 3, Name: "choice", Type: Int, Merge: Identity, Doc: "Index of the completion for n > 1, from 0; prompt tokens are booked at choice 0."},
	RequestOrdinal:                  {Message: KindRequest, Number: 4, Name: "ordinal", Type: Int, Merge: Identity, Doc: "The request's ordinal in its process, from 1; on all events of a request or on none."},
	RequestPhase:                    {Message: KindRequest, Number: 5, Name: "phase", Type: Enum, Enum: &PhaseNames, Merge: Context, Doc: "Which moment of the request the event tells of."},
	RequestOccurrence:               {Message: KindRequest, Number: 6, Name: "occurrence", Type: Int, Merge: Context, Doc: "Which occurrence of a repeated phase, from 1."},
	RequestEngineStep:               {Message: KindRequest, Number: 7, Name: "engine_step", Type: Int, Merge: Context, Doc: "Ordinal of the forward pass, where known."},
	RequestJoinKey:                  {Message: KindRequest, Number: 8, Name: "join_key", Type: Text, Merge: Descriptive, Doc: "Shared by the legs of one logical request."},
	RequestTraceID:                  {Message: KindRequest, Number: 9, Name: "trace_id", Type: Text, Merge: Descriptive, Doc: "W3C trace id, 32 hex digits."},
	RequestModel:                    {Message: KindRequest, Number: 10, Name: "model", Type: Text, Merge: Descriptive, Doc: "Model as served."},
	RequestModelVersion:             {Message: KindRequest, Number: 11, Name: "model_version", Type: Text, Merge: Descriptive, Doc: "Version or revision of the model."},
	RequestAdapter:                  {Message: KindRequest, Number: 12, Name: "adapter", Type: Text, Merge: Descriptive, Doc: "LoRA adapter, absent for the base model."},
	RequestRequestClass:             {Message: KindRequest, Number: 13, Name: "request_class", Type: Text, Merge: Descriptive, Doc: "Class of traffic, as the operator names it."},
	RequestTenant:                   {Message: KindRequest, Number: 14, Name: "tenant", Type: Hash, Merge: Descriptive, Doc: "Keyed 64-bit hash of the tenant; never a name."},
	RequestSession:                  {Message: KindRequest, Number: 15, Name: "session", Type: Hash, Merge: Descriptive, Doc: "Keyed 64-bit hash of the session."},
	RequestDeployment:               {Message: KindRequest, Number: 16, Name: "deployment", Type: Text, Merge: Descriptive, Doc: "Deployment, when the event itself says it."},
	RequestNamespace:                {Message: KindRequest, Number: 17, Name: "namespace", Type: Text, Merge: Descriptive, Doc: "Kubernetes namespace, when the event itself says it."},
	RequestNode:                     {Message: KindRequest, Number: 18, Name: "node", Type: Text, Merge: Descriptive, Doc: "Node, when the event itself says it."},
	RequestPod:                      {Message: KindRequest, Number: 19, Name: "pod", Type: Text, Merge: Descriptive, Doc: "Pod, when the event itself says it."},
	RequestServiceTier:              {Message: KindRequest, Number: 20, Name: "service_tier", Type: Text, Merge: Descriptive, Doc: "Service tier that the request was charged at."},
	RequestOutcome:                  {Message: KindRequest, Number: 21, Name: "outcome", Type: Enum, Enum: &OutcomeNames, Merge: Terminal, Doc: "How the request ended."},
	RequestFinishReason:             {Message: KindRequest, Number: 22, Name: "finish_reason", Type: Enum, Enum: &FinishReasonNames, Merge: Terminal, Doc: "Why generation stopped."},
	RequestHTTPStatus:               {Message: KindRequest, Number: 23, Name: "http_status", Type: Int, Merge: Terminal, Doc: "HTTP status that the caller saw.", Max: 999},
	RequestTokenConvention:          {Message: KindRequest, Number: 24, Name: "token_convention", Type: Enum, Enum: &TokenConventionNames, Merge: Context, Doc: "Whether this event's cached tokens are inside prompt_tokens (inclusive) or beside them (exclusive)."},
	RequestPromptTokens:             {Message: KindRequest, Number: 25, Name: "prompt_tokens", Type: Int, Merge: Count, Doc: "Prompt tokens; see token_convention."},
	RequestCachedLocalTokens:        {Message: KindRequest, Number: 26, Name: "cached_local_tokens", Type: Int, Merge: Count, Doc: "Prompt tokens read from the prefix cache on the GPU."},
	RequestCachedExternalTokens:     {Message: KindRequest, Number: 27, Name: "cached_external_tokens", Type: Int, Merge: Count, Doc: "Prompt tokens read from another instance's or a remote cache."},
	RequestCachedHostTokens:         {Message: KindRequest, Number: 28, Name: "cached_host_tokens", Type: Int, Merge: Count, Doc: "Prompt tokens read from a cache in host memory."},
	RequestCacheWrite5mTokens:       {Message: KindRequest, Number: 29, Name: "cache_write_5m_tokens", Type: Int, Merge: Count, Doc: "Tokens written to a cache with a lifetime of 5 minutes (also the default lifetime)."},
	RequestCacheWrite1hTokens:       {Message: KindRequest, Number: 30, Name: "cache_write_1h_tokens", Type: Int, Merge: Count, Doc: "Tokens written to a cache with a lifetime of 1 hour."},
	RequestOutputTokens:             {Message: KindRequest, Number: 31, Name: "output_tokens", Type: Int, Merge: Count, Doc: "Output tokens; cumulative so far in phases before finished."},
	RequestReasoningTokens:          {Message: KindRequest, Number: 32, Name: "reasoning_tokens", Type: Int, Merge: Count, Doc: "Output tokens spent on reasoning, inside output_tokens."},
	RequestDraftedTokens:            {Message: KindRequest, Number: 33, Name: "drafted_tokens", Type: Int, Merge: Progress, Doc: "Tokens proposed by speculative decoding, cumulative."},
	RequestAcceptedTokens:           {Message: KindRequest, Number: 34, Name: "accepted_tokens", Type: Int, Merge: Progress, Doc: "Proposed tokens that were accepted, cumulative."},
	RequestRecomputedTokens:         {Message: KindRequest, Number: 35, Name: "recomputed_tokens", Type: Int, Merge: Total, Doc: "Prompt tokens computed again after preemption, cumulative."},
	RequestPrefilledTokens:          {Message: KindRequest, Number: 36, Name: "prefilled_tokens", Type: Int, Merge: Progress, Doc: "Prompt tokens computed so far, cumulative."},
	RequestQueueNano:                {Message: KindRequest, Number: 37, Name: "queue_nano", Type: Signed, Merge: Measured, Doc: "Waiting time measured by the engine, ns."},
	RequestPrefillNano:              {Message: KindRequest, Number: 38, Name: "prefill_nano", Type: Signed, Merge: Measured, Doc: "Prefill time measured by the engine, ns."},
	RequestDecodeNano:               {Message: KindRequest, Number: 39, Name: "decode_nano", Type: Signed, Merge: Measured, Doc: "Decode time measured by the engine, ns."},
	RequestE2ENano:                  {Message: KindRequest, Number: 40, Name: "e2e_nano", Type: Signed, Merge: Measured, Doc: "Arrival to end, measured by the source, ns."},
	RequestTTFTGatewayNano:          {Message: KindRequest, Number: 41, Name: "ttft_gateway_nano", Type: Signed, Merge: Measured, Doc: "Gateway arrival to first token, ns."},
	RequestTTFTEngineNano:           {Message: KindRequest, Number: 42, Name: "ttft_engine_nano", Type: Signed, Merge: Measured, Doc: "Engine arrival to first token, ns."},
	RequestTTFTScheduledNano:        {Message: KindRequest, Number: 43, Name: "ttft_scheduled_nano", Type: Signed, Merge: Measured, Doc: "First scheduling to first token, ns."},
	RequestTTFTByteNano:             {Message: KindRequest, Number: 44, Name: "ttft_byte_nano", Type: Signed, Merge: Measured, Doc: "Arrival to first byte, ns."},
	RequestTTFTAnswerNano:           {Message: KindRequest, Number: 45, Name: "ttft_answer_nano", Type: Signed, Merge: Measured, Doc: "Arrival to first token of the answer after reasoning, ns."},
	RequestTokenizeNano:             {Message: KindRequest, Number: 46, Name: "tokenize_nano", Type: Signed, Merge: Measured, Doc: "Tokenizer time, ns."},
	RequestDetokenizeNano:           {Message: KindRequest, Number: 47, Name: "detokenize_nano", Type: Signed, Merge: Measured, Doc: "Detokenizer time, ns."},
	RequestProbe:                    {Message: KindRequest, Number: 48, Name: "probe", Type: Bool, Merge: Flag, Doc: "A health probe, not a user's request."},
	RequestRetry:                    {Message: KindRequest, Number: 49, Name: "retry", Type: Bool, Merge: Flag, Doc: "A retry of an earlier attempt."},
	RequestStream:                   {Message: KindRequest, Number: 50, Name: "stream", Type: Bool, Merge: Flag, Doc: "The response was streamed."},
	RequestResponseCacheHit:         {Message: KindRequest, Number: 51, Name: "response_cache_hit", Type: Bool, Merge: Flag, Doc: "Answered from a response cache."},
	RequestMaxTokens:                {Message: KindRequest, Number: 52, Name: "max_tokens", Type: Int, Merge: Count, Doc: "Output limit asked for."},
	RequestPriority:                 {Message: KindRequest, Number: 53, Name: "priority", Type: Signed, Merge: Count, Doc: "Scheduling priority."},
	RequestImages:                   {Message: KindRequest, Number: 54, Name: "images", Type: Int, Merge: Count, Doc: "Images in the prompt."},
	RequestRunningRequests:          {Message: KindRequest, Number: 55, Name: "running_requests", Type: Int, Merge: Count, Doc: "Requests running on the engine when this one arrived."},
	RequestWaitingRequests:          {Message: KindRequest, Number: 56, Name: "waiting_requests", Type: Int, Merge: Count, Doc: "Requests waiting when this one arrived."},
	RequestRunningTokens:            {Message: KindRequest, Number: 57, Name: "running_tokens", Type: Int, Merge: Count, Doc: "Tokens held by running requests when this one arrived."},
	RequestWaitingTokens:            {Message: KindRequest, Number: 58, Name: "waiting_tokens", Type: Int, Merge: Count, Doc: "Tokens of waiting requests when this one arrived."},
	RequestPreemptions:              {Message: KindRequest, Number: 59, Name: "preemptions", Type: Int, Merge: Total, Doc: "Times preempted, cumulative."},
	RequestPreemptedNano:            {Message: KindRequest, Number: 60, Name: "preempted_nano", Type: Int, Merge: Total, Doc: "Time spent preempted, cumulative ns."},
	RequestKVTransferNano:           {Message: KindRequest, Number: 61, Name: "kv_transfer_nano", Type: Int, Merge: Total, Doc: "Time spent moving KV cache, cumulative ns."},
	RequestKVTransferBytes:          {Message: KindRequest, Number: 62, Name: "kv_transfer_bytes", Type: Int, Merge: Total, Doc: "KV cache moved, cumulative bytes.", Max: 1 << 50},
	RequestReceivedUnixNano:         {Message: KindRequest, Number: 63, Name: "received_unix_nano", Type: Time, Merge: FirstMark, Doc: "Mark: received."},
	RequestQueuedUnixNano:           {Message: KindRequest, Number: 64, Name: "queued_unix_nano", Type: Time, Merge: FirstMark, Doc: "Mark: queued."},
	RequestScheduledUnixNano:        {Message: KindRequest, Number: 65, Name: "scheduled_unix_nano", Type: Time, Merge: FirstMark, Doc: "Mark: first scheduled."},
	RequestFirstByteUnixNano:        {Message: KindRequest, Number: 66, Name: "first_byte_unix_nano", Type: Time, Merge: FirstMark, Doc: "Mark: first byte left the gateway."},
	RequestFirstTokenUnixNano:       {Message: KindRequest, Number: 67, Name: "first_token_unix_nano", Type: Time, Merge: FirstMark, Doc: "Mark: first token."},
	RequestFirstAnswerUnixNano:      {Message: KindRequest, Number: 68, Name: "first_answer_unix_nano", Type: Time, Merge: FirstMark, Doc: "Mark: first token of the answer."},
	RequestClientGoneUnixNano:       {Message: KindRequest, Number: 69, Name: "client_gone_unix_nano", Type: Time, Merge: FirstMark, Doc: "Mark: the client left."},
	RequestLastTokenUnixNano:        {Message: KindRequest, Number: 70, Name: "last_token_unix_nano", Type: Time, Merge: LastMark, Doc: "Mark: last token."},
	RequestFinishedUnixNano:         {Message: KindRequest, Number: 71, Name: "finished_unix_nano", Type: Time, Merge: LastMark, Doc: "Mark: finished; filled from the event's time in phase finished."},
	RequestITLBucket:                {Message: KindRequest, Number: 72, Name: "itl_bucket", Type: Ints, Merge: Whole, Doc: "Inter-token latencies, cumulative sketch: bucket indices, ascending (docs/events.md says how to index)."},
	RequestITLCount:                 {Message: KindRequest, Number: 73, Name: "itl_count", Type: Ints, Merge: Whole, Doc: "Inter-token latencies: tokens in each bucket of itl_bucket."},
	EngineModel:                     {Message: KindEngine, Number: 1, Name: "model", Type: Text, Merge: Plain, Doc: "Model served."},
	EngineModelVersion:              {Message: KindEngine, Number: 2, Name: "model_version", Type: Text, Merge: Plain, Doc: "Version of the model."},
	EngineDtNano:                    {Message: KindEngine, Number: 3, Name: "dt_nano", Type: Int, Merge: Plain, Doc: "Time that the gauges stand for, ns, from the event's time on; absent: three sample intervals at most."},
	EngineStartedUnixNano:           {Message: KindEngine, Number: 4, Name: "started_unix_nano", Type: Time, Merge: Plain, Doc: "Start of the counters, where the engine says it."},
	EngineRunningRequests:           {Message: KindEngine, Number: 5, Name: "running_requests", Type: Int, Merge: Gauge, Doc: "Requests in the running batch."},
	EngineWaitingRequests:           {Message: KindEngine, Number: 6, Name: "waiting_requests", Type: Int, Merge: Gauge, Doc: "Requests waiting for any reason."},
	EngineWaitingCapacityRequests:   {Message: KindEngine, Number: 7, Name: "waiting_capacity_requests", Type: Int, Merge: Gauge, Doc: "Requests waiting for capacity."},
	EngineWaitingDeferredRequests:   {Message: KindEngine, Number: 8, Name: "waiting_deferred_requests", Type: Int, Merge: Gauge, Doc: "Requests held back for other reasons."},
	EngineSwappedRequests:           {Message: KindEngine, Number: 9, Name: "swapped_requests", Type: Int, Merge: Gauge, Doc: "Requests swapped out."},
	EngineKVCacheUsageRatio:         {Message: KindEngine, Number: 10, Name: "kv_cache_usage_ratio", Type: Ratio, Merge: Gauge, Doc: "KV cache in use, 0 to 1."},
	EngineKVUsedBlocks:              {Message: KindEngine, Number: 11, Name: "kv_used_blocks", Type: Int, Merge: Gauge, Doc: "KV blocks in use."},
	EngineKVFreeBlocks:              {Message: KindEngine, Number: 12, Name: "kv_free_blocks", Type: Int, Merge: Gauge, Doc: "KV blocks free."},
	EngineKVEvictableBlocks:         {Message: KindEngine, Number: 13, Name: "kv_evictable_blocks", Type: Int, Merge: Gauge, Doc: "KV blocks that hold reusable prefixes only."},
	EngineKVTotalBlocks:             {Message: KindEngine, Number: 14, Name: "kv_total_blocks", Type: Int, Merge: Gauge, Doc: "KV blocks in all."},
	EngineBatchSequences:            {Message: KindEngine, Number: 15, Name: "batch_sequences", Type: Int, Merge: Gauge, Doc: "Sequences in the last forward pass."},
	EngineBatchTokens:               {Message: KindEngine, Number: 16, Name: "batch_tokens", Type: Int, Merge: Gauge, Doc: "Tokens in the last forward pass."},
	EngineMaxSequences:              {Message: KindEngine, Number: 17, Name: "max_sequences", Type: Int, Merge: Gauge, Doc: "Limit of sequences in force."},
	EngineMaxBatchedTokens:          {Message: KindEngine, Number: 18, Name: "max_batched_tokens", Type: Int, Merge: Gauge, Doc: "Limit of tokens a pass in force."},
	EnginePromptTokensTotal:         {Message: KindEngine, Number: 19, Name: "prompt_tokens_total", Type: Int, Merge: Counter, Doc: "Prompt tokens, cached ones included."},
	EngineComputedPromptTokensTotal: {Message: KindEngine, Number: 20, Name: "computed_prompt_tokens_total", Type: Int, Merge: Counter, Doc: "Prompt tokens computed."},
	EngineCachedLocalTokensTotal:    {Message: KindEngine, Number: 21, Name: "cached_local_tokens_total", Type: Int, Merge: Counter, Doc: "Prompt tokens read from the local prefix cache."},
	EngineCachedExternalTokensTotal: {Message: KindEngine, Number: 22, Name: "cached_external_tokens_total", Type: Int, Merge: Counter, Doc: "Prompt tokens read from an external cache."},
	EngineOutputTokensTotal:         {Message: KindEngine, Number: 23, Name: "output_tokens_total", Type: Int, Merge: Counter, Doc: "Output tokens."},
	EnginePrefixCacheQueriesTotal:   {Message: KindEngine, Number: 24, Name: "prefix_cache_queries_total", Type: Int, Merge: Counter, Doc: "Tokens looked up in the prefix cache."},
	EnginePrefixCacheHitsTotal:      {Message: KindEngine, Number: 25, Name: "prefix_cache_hits_total", Type: Int, Merge: Counter, Doc: "Tokens found in the prefix cache."},
	EnginePreemptionsTotal:          {Message: KindEngine, Number: 26, Name: "preemptions_total", Type: Int, Merge: Counter, Doc: "Preemptions."},
	EngineEvictionsTotal:            {Message: KindEngine, Number: 27, Name: "evictions_total", Type: Int, Merge: Counter, Doc: "KV blocks evicted."},
	EngineAllocationFailuresTotal:   {Message: KindEngine, Number: 28, Name: "allocation_failures_total", Type: Int, Merge: Counter, Doc: "KV allocations that failed."},
	EngineRejectionsTotal:           {Message: KindEngine, Number: 29, Name: "rejections_total", Type: Int, Merge: Counter, Doc: "Requests refused at admission."},
	EngineRetractionsTotal:          {Message: KindEngine, Number: 30, Name: "retractions_total", Type: Int, Merge: Counter, Doc: "Requests retracted from the batch."},
	EngineFinishedTotal:             {Message: KindEngine, Number: 31, Name: "finished_total", Type: Int, Merge: Counter, Doc: "Requests finished, whatever the outcome."},
	EngineAbortedTotal:              {Message: KindEngine, Number: 32, Name: "aborted_total", Type: Int, Merge: Counter, Doc: "Requests aborted."},
	EngineStepsTotal:                {Message: KindEngine, Number: 33, Name: "steps_total", Type: Int, Merge: Counter, Doc: "Forward passes."},
	StepRankIndex:                   {Message: KindStep, Number: 1, Name: "rank_index", Type: Int, Merge: Plain, Doc: "Rank inside the instance, from 0."},
	StepPasses:                      {Message: KindStep, Number: 2, Name: "passes", Type: Int, Merge: Plain, Doc: "Forward passes summed in this run."},
	StepWallNano:                    {Message: KindStep, Number: 3, Name: "wall_nano", Type: Int, Merge: Plain, Doc: "Wall time of the run, ns; the event's time is its end."},
	StepPrefillTokens:               {Message: KindStep, Number: 4, Name: "prefill_tokens", Type: Int, Merge: Plain, Doc: "P: prompt tokens computed."},
	StepPrefillContextTwice:         {Message: KindStep, Number: 5, Name: "prefill_context_twice", Type: Int, Merge: Plain, Doc: "2·X, X = Σ p·(c + p/2) over prompt chunks of p tokens at context c; doubled to stay whole."},
	StepPrefillSequences:            {Message: KindStep, Number: 6, Name: "prefill_sequences", Type: Int, Merge: Plain, Doc: "Sequences in prefill, summed over passes."},
	StepDecodeSequences:             {Message: KindStep, Number: 7, Name: "decode_sequences", Type: Int, Merge: Plain, Doc: "Sequences in decode, summed over passes."},
	StepDecodeTokens:                {Message: KindStep, Number: 8, Name: "decode_tokens", Type: Int, Merge: Plain, Doc: "D: tokens decoded, drafts included."},
	StepKVTokensRead:                {Message: KindStep, Number: 9, Name: "kv_tokens_read", Type: Int, Merge: Plain, Doc: "K: context tokens read by decoding sequences."},
	StepPassesTotal:                 {Message: KindStep, Number: 10, Name: "passes_total", Type: Int, Merge: Plain, Doc: "Cumulative copy of passes."},
	StepWallNanoTotal:               {Message: KindStep, Number: 11, Name: "wall_nano_total", Type: Int, Merge: Plain, Doc: "Cumulative copy of wall_nano."},
	StepPrefillTokensTotal:          {Message: KindStep, Number: 12, Name: "prefill_tokens_total", Type: Int, Merge: Plain, Doc: "Cumulative copy of prefill_tokens."},
	StepPrefillContextTwiceTotal:    {Message: KindStep, Number: 13, Name: "prefill_context_twice_total", Type: Int, Merge: Plain, Doc: "Cumulative copy of prefill_context_twice."},
	StepDecodeTokensTotal:           {Message: KindStep, Number: 14, Name: "decode_tokens_total", Type: Int, Merge: Plain, Doc: "Cumulative copy of decode_tokens."},
	StepKVTokensReadTotal:           {Message: KindStep, Number: 15, Name: "kv_tokens_read_total", Type: Int, Merge: Plain, Doc: "Cumulative copy of kv_tokens_read."},
	GPUGPU:                          {Message: KindGPU, Number: 1, Name: "gpu", Type: Text, Merge: Plain, Doc: "UUID of the GPU or MIG instance."},
	GPUParentGPU:                    {Message: KindGPU, Number: 2, Name: "parent_gpu", Type: Text, Merge: Plain, Doc: "UUID of the whole GPU, for a MIG instance."},
	GPUMIGProfile:                   {Message: KindGPU, Number: 3, Name: "mig_profile", Type: Text, Merge: Plain, Doc: "MIG profile, e.g. 1g.10gb."},
	GPUGPUType:                      {Message: KindGPU, Number: 4, Name: "gpu_type", Type: Text, Merge: Plain, Doc: "Type of the GPU as the price list names it."},
	GPUNode:                         {Message: KindGPU, Number: 5, Name: "node", Type: Text, Merge: Plain, Doc: "Node that holds it."},
	GPUDtNano:                       {Message: KindGPU, Number: 6, Name: "dt_nano", Type: Int, Merge: Plain, Doc: "Time that the gauges stand for, ns, from the event's time on."},
	GPUStartedUnixNano:              {Message: KindGPU, Number: 7, Name: "started_unix_nano", Type: Time, Merge: Plain, Doc: "Start of the counters, where known."},
	GPUUtilizationRatio:             {Message: KindGPU, Number: 8, Name: "utilization_ratio", Type: Ratio, Merge: Gauge, Doc: "Share of time with a kernel running."},
	GPUGraphicsActiveRatio:          {Message: KindGPU, Number: 9, Name: "graphics_active_ratio", Type: Ratio, Merge: Gauge, Doc: "Graphics or compute engine active."},
	GPUSMActiveRatio:                {Message: KindGPU, Number: 10, Name: "sm_active_ratio", Type: Ratio, Merge: Gauge, Doc: "SMs with a warp assigned."},
	GPUSMOccupancyRatio:             {Message: KindGPU, Number: 11, Name: "sm_occupancy_ratio", Type: Ratio, Merge: Gauge, Doc: "Warps resident against the maximum."},
	GPUTensorActiveRatio:            {Message: KindGPU, Number: 12, Name: "tensor_active_ratio", Type: Ratio, Merge: Gauge, Doc: "Tensor pipe active."},
	GPUFP16ActiveRatio:              {Message: KindGPU, Number: 13, Name: "fp16_active_ratio", Type: Ratio, Merge: Gauge, Doc: "FP16 pipe active."},
	GPUFP32ActiveRatio:              {Message: KindGPU, Number: 14, Name: "fp32_active_ratio", Type: Ratio, Merge: Gauge, Doc: "FP32 pipe active."},
	GPUFP64ActiveRatio:              {Message: KindGPU, Number: 15, Name: "fp64_active_ratio", Type: Ratio, Merge: Gauge, Doc: "FP64 pipe active."},
	GPUDRAMActiveRatio:              {Message: KindGPU, Number: 16, Name: "dram_active_ratio", Type: Ratio, Merge: Gauge, Doc: "Device memory interface active."},
	GPUMemoryCopyRatio:              {Message: KindGPU, Number: 17, Name: "memory_copy_ratio", Type: Ratio, Merge: Gauge, Doc: "Copy engine utilisation."},
	GPUEncoderRatio:                 {Message: KindGPU, Number: 18, Name: "encoder_ratio", Type: Ratio, Merge: Gauge, Doc: "Video encoder utilisation."},
	GPUDecoderRatio:                 {Message: KindGPU, Number: 19, Name: "decoder_ratio", Type: Ratio, Merge: Gauge, Doc: "Video decoder utilisation."},
	GPUFramebufferUsedMiB:           {Message: KindGPU, Number: 20, Name: "framebuffer_used_mib", Type: Int, Merge: Gauge, Doc: "Device memory in use, MiB."},
	GPUFramebufferFreeMiB:           {Message: KindGPU, Number: 21, Name: "framebuffer_free_mib", Type: Int, Merge: Gauge, Doc: "Device memory free, MiB."},
	GPUFramebufferReservedMiB:       {Message: KindGPU, Number: 22, Name: "framebuffer_reserved_mib", Type: Int, Merge: Gauge, Doc: "Device memory reserved by the driver, MiB."},
	GPUSMClockMHz:                   {Message: KindGPU, Number: 23, Name: "sm_clock_mhz", Type: Int, Merge: Gauge, Doc: "SM clock, MHz."},
	GPUMemoryClockMHz:               {Message: KindGPU, Number: 24, Name: "memory_clock_mhz", Type: Int, Merge: Gauge, Doc: "Memory clock, MHz."},
	GPUPowerMilliwatts:              {Message: KindGPU, Number: 25, Name: "power_milliwatts", Type: Int, Merge: Gauge, Doc: "Power, mW."},
	GPUTemperatureCelsius:           {Message: KindGPU, Number: 26, Name: "temperature_celsius", Type: Signed, Merge: Gauge, Doc: "GPU temperature, °C."},
	GPUMemoryTemperatureCelsius:     {Message: KindGPU, Number: 27, Name: "memory_temperature_celsius", Type: Signed, Merge: Gauge, Doc: "Memory temperature, °C."},
	GPUThrottleReasons:              {Message: KindGPU, Number: 28, Name: "throttle_reasons", Type: Int, Merge: Plain, Doc: "Clock throttle reasons, bit mask as DCGM prints it."},
	GPUEnergyMillijoulesTotal:       {Message: KindGPU, Number: 29, Name: "energy_millijoules_total", Type: Int, Merge: Counter, Doc: "Energy, mJ."},
	GPUPCIeRxBytesTotal:             {Message: KindGPU, Number: 30, Name: "pcie_rx_bytes_total", Type: Int, Merge: Counter, Doc: "PCIe bytes received."},
	GPUPCIeTxBytesTotal:             {Message: KindGPU, Number: 31, Name: "pcie_tx_bytes_total", Type: Int, Merge: Counter, Doc: "PCIe bytes sent."},
	GPUNVLinkRxBytesTotal:           {Message: KindGPU, Number: 32, Name: "nvlink_rx_bytes_total", Type: Int, Merge: Counter, Doc: "NVLink bytes received."},
	GPUNVLinkTxBytesTotal:           {Message: KindGPU, Number: 33, Name: "nvlink_tx_bytes_total", Type: Int, Merge: Counter, Doc: "NVLink bytes sent."},
	GPUPowerViolationNanoTotal:      {Message: KindGPU, Number: 34, Name: "power_violation_nano_total", Type: Int, Merge: Counter, Doc: "Time throttled for power, ns."},
	GPUThermalViolationNanoTotal:    {Message: KindGPU, Number: 35, Name: "thermal_violation_nano_total", Type: Int, Merge: Counter, Doc: "Time throttled for heat, ns."},
	GPUECCSBETotal:                  {Message: KindGPU, Number: 36, Name: "ecc_sbe_total", Type: Int, Merge: Counter, Doc: "Corrected memory errors."},
	GPUECCDBETotal:                  {Message: KindGPU, Number: 37, Name: "ecc_dbe_total", Type: Int, Merge: Counter, Doc: "Uncorrected memory errors."},
	GPUUnavailable:                  {Message: KindGPU, Number: 38, Name: "unavailable", Type: Texts, Merge: Plain, Doc: "Fields that this GPU or driver cannot give."},
	FaultGPU:                        {Message: KindFault, Number: 1, Name: "gpu", Type: Text, Merge: Plain, Doc: "UUID of the GPU."},
	FaultNode:                       {Message: KindFault, Number: 2, Name: "node", Type: Text, Merge: Plain, Doc: "Node that holds it."},
	FaultFault:                      {Message: KindFault, Number: 3, Name: "fault", Type: Enum, Enum: &FaultKindNames, Merge: Plain, Doc: "Kind of fault."},
	FaultCode:                       {Message: KindFault, Number: 4, Name: "code", Type: Int, Merge: Plain, Doc: "Xid number, for Xid errors."},
	FaultCount:                      {Message: KindFault, Number: 5, Name: "count", Type: Int, Merge: Plain, Doc: "How many; absent is one.", Max: 1 << 32},
	NodeNode:                        {Message: KindNode, Number: 1, Name: "node", Type: Text, Merge: Plain, Doc: "Name of the node."},
	NodeDtNano:                      {Message: KindNode, Number: 2, Name: "dt_nano", Type: Int, Merge: Plain, Doc: "Time that the gauges stand for, ns."},
	NodeStartedUnixNano:             {Message: KindNode, Number: 3, Name: "started_unix_nano", Type: Time, Merge: Plain, Doc: "Boot time, start of the counters."},
	NodeCPUUsageRatio:               {Message: KindNode, Number: 4, Name: "cpu_usage_ratio", Type: Ratio, Merge: Gauge, Doc: "CPU time in use over all cores."},
	NodeCPUThrottledRatio:           {Message: KindNode, Number: 5, Name: "cpu_throttled_ratio", Type: Ratio, Merge: Gauge, Doc: "Share of scheduling periods throttled."},
	NodeLoad1Milli:                  {Message: KindNode, Number: 6, Name: "load1_milli", Type: Int, Merge: Gauge, Doc: "Load average of one minute, thousandths."},
	NodeMemoryUsedMiB:               {Message: KindNode, Number: 7, Name: "memory_used_mib", Type: Int, Merge: Gauge, Doc: "Memory in use, MiB."},
	NodeMemoryTotalMiB:              {Message: KindNode, Number: 8, Name: "memory_total_mib", Type: Int, Merge: Gauge, Doc: "Memory in all, MiB."},
	NodePageFaultsTotal:             {Message: KindNode, Number: 9, Name: "page_faults_total", Type: Int, Merge: Counter, Doc: "Page faults."},
	NodeMajorPageFaultsTotal:        {Message: KindNode, Number: 10, Name: "major_page_faults_total", Type: Int, Merge: Counter, Doc: "Page faults that needed a disk."},
	NodeNetworkReceiveBytesTotal:    {Message: KindNode, Number: 11, Name: "network_receive_bytes_total", Type: Int, Merge: Counter, Doc: "Network bytes received."},
	NodeNetworkTransmitBytesTotal:   {Message: KindNode, Number: 12, Name: "network_transmit_bytes_total", Type: Int, Merge: Counter, Doc: "Network bytes sent."},
	NodeNetworkErrorsTotal:          {Message: KindNode, Number: 13, Name: "network_errors_total", Type: Int, Merge: Counter, Doc: "Network errors, both directions."},
	NodeNetworkDropsTotal:           {Message: KindNode, Number: 14, Name: "network_drops_total", Type: Int, Merge: Counter, Doc: "Network packets dropped, both directions."},
	NodeDiskReadBytesTotal:          {Message: KindNode, Number: 15, Name: "disk_read_bytes_total", Type: Int, Merge: Counter, Doc: "Disk bytes read."},
	NodeDiskWrittenBytesTotal:       {Message: KindNode, Number: 16, Name: "disk_written_bytes_total", Type: Int, Merge: Counter, Doc: "Disk bytes written."},
	NodeDiskBusyNanoTotal:           {Message: KindNode, Number: 17, Name: "disk_busy_nano_total", Type: Int, Merge: Counter, Doc: "Disk busy time, ns."},
	KubeNamespace:                   {Message: KindKube, Number: 1, Name: "namespace", Type: Text, Merge: Plain, Doc: "Namespace."},
	KubeDeployment:                  {Message: KindKube, Number: 2, Name: "deployment", Type: Text, Merge: Plain, Doc: "Deployment, for a sample of one."},
	KubePod:                         {Message: KindKube, Number: 3, Name: "pod", Type: Text, Merge: Plain, Doc: "Pod, for a sample of one."},
	KubeNode:                        {Message: KindKube, Number: 4, Name: "node", Type: Text, Merge: Plain, Doc: "Node of the pod."},
	KubeDtNano:                      {Message: KindKube, Number: 5, Name: "dt_nano", Type: Int, Merge: Plain, Doc: "Time that the gauges stand for, ns."},
	KubeStartedUnixNano:             {Message: KindKube, Number: 6, Name: "started_unix_nano", Type: Time, Merge: Plain, Doc: "Start of the pod, start of the counters."},
	KubeReadyRatio:                  {Message: KindKube, Number: 7, Name: "ready_ratio", Type: Ratio, Merge: Gauge, Doc: "1 when the pod is ready, else 0."},
	KubePendingPods:                 {Message: KindKube, Number: 8, Name: "pending_pods", Type: Int, Merge: Gauge, Doc: "Pods pending."},
	KubeDesiredReplicas:             {Message: KindKube, Number: 9, Name: "desired_replicas", Type: Int, Merge: Gauge, Doc: "Replicas wanted."},
	KubeReadyReplicas:               {Message: KindKube, Number: 10, Name: "ready_replicas", Type: Int, Merge: Gauge, Doc: "Replicas ready."},
	KubeAvailableReplicas:           {Message: KindKube, Number: 11, Name: "available_replicas", Type: Int, Merge: Gauge, Doc: "Replicas available."},
	KubeUnavailableReplicas:         {Message: KindKube, Number: 12, Name: "unavailable_replicas", Type: Int, Merge: Gauge, Doc: "Replicas unavailable."},
	KubeHPAMinReplicas:              {Message: KindKube, Number: 13, Name: "hpa_min_replicas", Type: Int, Merge: Gauge, Doc: "Autoscaler's lower limit."},
	KubeHPAMaxReplicas:              {Message: KindKube, Number: 14, Name: "hpa_max_replicas", Type: Int, Merge: Gauge, Doc: "Autoscaler's upper limit."},
	KubeHPADesiredReplicas:          {Message: KindKube, Number: 15, Name: "hpa_desired_replicas", Type: Int, Merge: Gauge, Doc: "Autoscaler's wish."},
	KubeGPUsRequested:               {Message: KindKube, Number: 16, Name: "gpus_requested", Type: Int, Merge: Gauge, Doc: "GPUs requested."},
	KubeCPUThrottledRatio:           {Message: KindKube, Number: 17, Name: "cpu_throttled_ratio", Type: Ratio, Merge: Gauge, Doc: "Share of scheduling periods throttled."},
	KubeRestartsTotal:               {Message: KindKube, Number: 18, Name: "restarts_total", Type: Int, Merge: Counter, Doc: "Container restarts."},
	KubeOOMKilledTotal:              {Message: KindKube, Number: 19, Name: "oom_killed_total", Type: Int, Merge: Counter, Doc: "Containers killed for memory."},
	InstanceState:                   {Message: KindInstance, Number: 1, Name: "state", Type: Enum, Enum: &LifecycleNames, Merge: Plain, Doc: "What the instance entered, or heartbeat."},
	InstanceLastSeq:                 {Message: KindInstance, Number: 2, Name: "last_seq", Type: Int, Merge: Plain, Doc: "Heartbeat, stopped: last seq sent on this event's topic and lane."},
	InstanceBootStartedUnixNano:     {Message: KindInstance, Number: 3, Name: "boot_started_unix_nano", Type: Time, Merge: Plain, Doc: "When this boot started; orders the boots of an instance."},
	InstanceEngine:                  {Message: KindInstance, Number: 4, Name: "engine", Type: Text, Merge: Plain, Doc: "vllm, sglang, trtllm, dynamo, …"},
	InstanceEngineVersion:           {Message: KindInstance, Number: 5, Name: "engine_version", Type: Text, Merge: Plain, Doc: "Version of the engine."},
	InstanceModel:                   {Message: KindInstance, Number: 6, Name: "model", Type: Text, Merge: Plain, Doc: "Model served."},
	InstanceModelVersion:            {Message: KindInstance, Number: 7, Name: "model_version", Type: Text, Merge: Plain, Doc: "Version of the model."},
	InstanceMaxSequences:            {Message: KindInstance, Number: 8, Name: "max_sequences", Type: Int, Merge: Plain, Doc: "Limit: sequences."},
	InstanceMaxBatchedTokens:        {Message: KindInstance, Number: 9, Name: "max_batched_tokens", Type: Int, Merge: Plain, Doc: "Limit: tokens a pass."},
	InstanceKVTokens:                {Message: KindInstance, Number: 10, Name: "kv_tokens", Type: Int, Merge: Plain, Doc: "Limit: KV cache, tokens."},
	InstanceKVBlockTokens:           {Message: KindInstance, Number: 11, Name: "kv_block_tokens", Type: Int, Merge: Plain, Doc: "Tokens in a KV block."},
	InstanceMaxModelTokens:          {Message: KindInstance, Number: 12, Name: "max_model_tokens", Type: Int, Merge: Plain, Doc: "Limit: model length, tokens."},
	InstanceGPUUUIDs:                {Message: KindInstance, Number: 13, Name: "gpu_uuids", Type: Texts, Merge: Plain, Doc: "GPUs that the instance holds."},
	InstanceGPUSharesPPM:            {Message: KindInstance, Number: 14, Name: "gpu_shares_ppm", Type: Ints, Merge: Plain, Doc: "Share of each GPU, millionths, beside gpu_uuids; absent: whole GPUs.", Max: million},
	InstanceGPUCount:                {Message: KindInstance, Number: 15, Name: "gpu_count", Type: Int, Merge: Plain, Doc: "GPUs held, where their UUIDs are not known.", Max: 1 << 20},
	InstanceGPUType:                 {Message: KindInstance, Number: 16, Name: "gpu_type", Type: Text, Merge: Plain, Doc: "GPU type as the price list names it."},
	InstanceTensorParallel:          {Message: KindInstance, Number: 17, Name: "tensor_parallel", Type: Int, Merge: Plain, Doc: "Tensor-parallel size."},
	InstancePipelineParallel:        {Message: KindInstance, Number: 18, Name: "pipeline_parallel", Type: Int, Merge: Plain, Doc: "Pipeline-parallel size."},
	InstanceDataParallel:            {Message: KindInstance, Number: 19, Name: "data_parallel", Type: Int, Merge: Plain, Doc: "Data-parallel size."},
	InstancePriceKey:                {Message: KindInstance, Number: 20, Name: "price_key", Type: Text, Merge: Plain, Doc: "Key into the price list beyond the GPU type."},
	InstanceDeployment:              {Message: KindInstance, Number: 21, Name: "deployment", Type: Text, Merge: Plain, Doc: "Deployment."},
	InstanceNamespace:               {Message: KindInstance, Number: 22, Name: "namespace", Type: Text, Merge: Plain, Doc: "Kubernetes namespace."},
	InstanceCluster:                 {Message: KindInstance, Number: 23, Name: "cluster", Type: Text, Merge: Plain, Doc: "Cluster."},
	InstanceNode:                    {Message: KindInstance, Number: 24, Name: "node", Type: Text, Merge: Plain, Doc: "Node."},
	InstancePod:                     {Message: KindInstance, Number: 25, Name: "pod", Type: Text, Merge: Plain, Doc: "Pod."},
	InstanceRegion:                  {Message: KindInstance, Number: 26, Name: "region", Type: Text, Merge: Plain, Doc: "Region."},
}
