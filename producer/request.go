package producer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"github.com/inferlake/inferlake/stream"
)

// Request is what is known of a request when it begins. Everything may be left out.
type Request struct {
	ID      string // as the instance knows it; "" takes one made of boot and ordinal
	Attempt Number // retry number, from 0
	Choice  Number // index of the completion for n > 1, from 0
	JoinKey string // shared by the legs of one logical request
	TraceID string // W3C trace id, 32 hex digits

	Model        string // "" takes the client's
	ModelVersion string
	Adapter      string // LoRA adapter
	Class        string // class of traffic
	ServiceTier  string
	Tenant       string // leaves the process as a keyed hash, with Options.TenantKey only
	Session      string // likewise

	PromptTokens Number
	MaxTokens    Number
	Priority     Number
	Images       Number
	Stream       bool
	Probe        bool // a health check or a test, not a user's
	Retry        bool

	// What was going on when it arrived.
	RunningRequests, WaitingRequests Number
	RunningTokens, WaitingTokens     Number
}

// describe fills in what only the first event of a request carries.
func (r *Request) describe(e *stream.Event, o *Options) {
	setText(e, stream.RequestJoinKey, r.JoinKey)
	setText(e, stream.RequestTraceID, r.TraceID)
	setText(e, stream.RequestModel, r.Model)
	setText(e, stream.RequestModelVersion, r.ModelVersion)
	setText(e, stream.RequestAdapter, r.Adapter)
	setText(e, stream.RequestRequestClass, r.Class)
	setText(e, stream.RequestServiceTier, r.ServiceTier)
	setHash(e, stream.RequestTenant, o.TenantKey, r.Tenant)
	setHash(e, stream.RequestSession, o.TenantKey, r.Session)
	setBool(e, stream.RequestStream, r.Stream)
	setBool(e, stream.RequestProbe, r.Probe)
	setBool(e, stream.RequestRetry, r.Retry)
	r.PromptTokens.set(e, stream.RequestPromptTokens)
	r.MaxTokens.set(e, stream.RequestMaxTokens)
	r.Priority.set(e, stream.RequestPriority)
	r.Images.set(e, stream.RequestImages)
	r.RunningRequests.set(e, stream.RequestRunningRequests)
	r.WaitingRequests.set(e, stream.RequestWaitingRequests)
	r.RunningTokens.set(e, stream.RequestRunningTokens)
	r.WaitingTokens.set(e, stream.RequestWaitingTokens)
}

// setHash sets the keyed hash of a name: the first 64 bits of HMAC-SHA-256.
func setHash(e *stream.Event, f stream.Field, key []byte, name string) {
	if name == "" || len(key) == 0 {
		return
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(name))
	e.SetInt(f, int64(binary.BigEndian.Uint64(h.Sum(nil))))
}

// Begin tells that a request was received, and returns the call that tells the rest.
func (c *Client) Begin(r Request) *Call {
	ordinal := c.ordinal.Add(1)
	if r.ID == "" {
		r.ID = c.o.Boot + "-" + strconv.FormatInt(ordinal, 10)
	}
	if r.Model == "" {
		r.Model, r.ModelVersion = c.o.Model, c.o.ModelVersion
	}
	k := &Call{c: c, line: c.laneOf(r.ID), id: r.ID, attempt: r.Attempt, choice: r.Choice, ordinal: ordinal}
	k.begin(&r)
	return k
}

// Outcome is how a request ended. Counts that are not known are left out, never 0.
type Outcome struct {
	Outcome stream.Outcome      // 0 means ok
	Reason  stream.FinishReason // 0 means not known
	Status  Number              // HTTP status

	Convention         stream.TokenConvention // whether cached tokens are inside the prompt's; 0 means inside
	PromptTokens       Number
	CachedTokens       Number // found in this engine's cache
	ExternalTokens     Number // found in a cache elsewhere
	HostTokens         Number // found in host memory
	OutputTokens       Number // not given: what Tokens counted
	ReasoningTokens    Number
	DraftedTokens      Number
	AcceptedTokens     Number
	RecomputedTokens   Number
	PrefilledTokens    Number
	TokenizeNano       Number
	DetokenizeNano     Number
	KVTransferNano     Number
	KVTransferBytes    Number
	CacheWrite5mTokens Number
	CacheWrite1hTokens Number
	ResponseCacheHit   bool
}

func (o *Outcome) fill(e *stream.Event) {
	e.SetInt(stream.RequestOutcome, int64(max(o.Outcome, stream.OutcomeOK)))
	if o.Reason != 0 {
		e.SetInt(stream.RequestFinishReason, int64(o.Reason))
	}
	e.SetInt(stream.RequestTokenConvention, int64(max(o.Convention, stream.TokensInclusive)))
	o.Status.set(e, stream.RequestHTTPStatus)
	o.PromptTokens.set(e, stream.RequestPromptTokens)
	o.CachedTokens.set(e, stream.RequestCachedLocalTokens)
	o.ExternalTokens.set(e, stream.RequestCachedExternalTokens)
	o.HostTokens.set(e, stream.RequestCachedHostTokens)
	o.CacheWrite5mTokens.set(e, stream.RequestCacheWrite5mTokens)
	o.CacheWrite1hTokens.set(e, stream.RequestCacheWrite1hTokens)
	o.OutputTokens.set(e, stream.RequestOutputTokens)
	o.ReasoningTokens.set(e, stream.RequestReasoningTokens)
	o.DraftedTokens.set(e, stream.RequestDraftedTokens)
	o.AcceptedTokens.set(e, stream.RequestAcceptedTokens)
	o.RecomputedTokens.set(e, stream.RequestRecomputedTokens)
	o.PrefilledTokens.set(e, stream.RequestPrefilledTokens)
	o.TokenizeNano.set(e, stream.RequestTokenizeNano)
	o.DetokenizeNano.set(e, stream.RequestDetokenizeNano)
	o.KVTransferNano.set(e, stream.RequestKVTransferNano)
	o.KVTransferBytes.set(e, stream.RequestKVTransferBytes)
	setBool(e, stream.RequestResponseCacheHit, o.ResponseCacheHit)
}
