package stream

// Role is what an instance is in a request's path. Zero is unspecified.
type Role int64

// The values of Role.
const (
	RoleEngine Role = iota + 1
	RolePrefill
	RoleDecode
	RoleGateway
	RoleClient
)

// RoleNames are the values of Role as the JSON form and SQL write them.
var RoleNames = EnumNames{"", "engine", "prefill", "decode", "gateway", "client"}

func (v Role) String() string { return RoleNames.Name(int64(v)) }

// Phase is a moment in a request's life. Zero is unspecified.
type Phase int64

// The values of Phase.
const (
	PhaseReceived Phase = iota + 1
	PhaseQueued
	PhaseScheduled
	PhasePreempted
	PhaseKVTransfer
	PhaseFirstByte
	PhaseFirstToken
	PhaseFirstAnswerToken
	PhaseTokens
	PhaseClientGone
	PhaseFinished
)

// PhaseNames are the values of Phase as the JSON form and SQL write them.
var PhaseNames = EnumNames{"", "received", "queued", "scheduled", "preempted", "kv_transfer", "first_byte", "first_token", "first_answer_token", "tokens", "client_gone", "finished"}

func (v Phase) String() string { return PhaseNames.Name(int64(v)) }

// Outcome is how a request ended. Zero is unspecified.
type Outcome int64

// The values of Outcome.
const (
	OutcomeOK Outcome = iota + 1
	OutcomeError
	OutcomeTimeout
	OutcomeRejected
	OutcomeCancelled
	OutcomeLost
	OutcomeUnknown
)

// OutcomeNames are the values of Outcome as the JSON form and SQL write them.
var OutcomeNames = EnumNames{"", "ok", "error", "timeout", "rejected", "cancelled", "lost", "unknown"}

func (v Outcome) String() string { return OutcomeNames.Name(int64(v)) }

// FinishReason is why generation stopped. Zero is unspecified.
type FinishReason int64

// The values of FinishReason.
const (
	ReasonStop FinishReason = iota + 1
	ReasonLength
	ReasonToolCalls
	ReasonContentFilter
	ReasonRepetition
	ReasonAbort
	ReasonError
	ReasonOther
)

// FinishReasonNames are the values of FinishReason as the JSON form and SQL write them.
var FinishReasonNames = EnumNames{"", "stop", "length", "tool_calls", "content_filter", "repetition", "abort", "error", "other"}

func (v FinishReason) String() string { return FinishReasonNames.Name(int64(v)) }

// TokenConvention says where cached tokens are counted. Zero is unspecified.
type TokenConvention int64

// The values of TokenConvention.
const (
	TokensInclusive TokenConvention = iota + 1
	TokensExclusive
)

// TokenConventionNames are the values of TokenConvention as the JSON form and SQL write them.
var TokenConventionNames = EnumNames{"", "inclusive", "exclusive"}

func (v TokenConvention) String() string { return TokenConventionNames.Name(int64(v)) }

// FaultKind is a kind of GPU fault. Zero is unspecified.
type FaultKind int64

// The values of FaultKind.
const (
	FaultKindXid FaultKind = iota + 1
	FaultKindECCCorrected
	FaultKindECCUncorrected
	FaultKindFallenOffBus
	FaultKindThermal
	FaultKindNVLink
	FaultKindOther
)

// FaultKindNames are the values of FaultKind as the JSON form and SQL write them.
var FaultKindNames = EnumNames{"", "xid", "ecc_corrected", "ecc_uncorrected", "fallen_off_bus", "thermal", "nvlink", "other"}

func (v FaultKind) String() string { return FaultKindNames.Name(int64(v)) }

// Lifecycle is what an instance entered. Zero is unspecified.
type Lifecycle int64

// The values of Lifecycle.
const (
	StateStarting Lifecycle = iota + 1
	StateReady
	StateDraining
	StateStopped
	StateHeartbeat
)

// LifecycleNames are the values of Lifecycle as the JSON form and SQL write them.
var LifecycleNames = EnumNames{"", "starting", "ready", "draining", "stopped", "heartbeat"}

func (v Lifecycle) String() string { return LifecycleNames.Name(int64(v)) }
