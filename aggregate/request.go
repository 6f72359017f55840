package aggregate

import "github.com/inferlake/inferlake/stream"

const (
	requestFirst  = stream.RequestRequestID
	requestFields = int(stream.EngineModel - stream.RequestRequestID)
)

// Request is one request's merged record: all that its partial records said, whatever their order.
type Request struct {
	id    identity
	place stream.Position // of its first record: with the log's name it names the row

	set  [2]uint64            // which fields are known, by index from requestFirst
	num  [requestFields]int64 // values of all but texts
	rank [requestFields]uint8 // rank of the statement that num or text holds
	text [requestTexts]string
	mono [requestMarks]clockReading

	itlBucket, itlCount []int64

	outputSeen   int64    // cumulative output tokens before the end
	progressSeen progress // the same of the fields that merge as progress
	stepFirst    int64    // 0: unknown
	stepLast     int64
	flags        Flags
	events       int64
	revision     int64
	late         bool

	// The rest is the fold's bookkeeping. What slot has too is told there.
	key        requestKey
	slot       uint32
	closed     bool
	booked     bool
	bookedDims int32
	touched    int64
	first      int64
	cut        int64

	said     uint64               // hash of the texts that an event said of it, when additions to it may be written without unpacking; 0: none
	numbered bool                 // its producer numbers its requests
	changed  [2]uint64            // fields that were put since it was unpacked, by index
	identity []byte               // id and place as they were packed; nil: never
	names    [4]uint32            // producer, boot, source and instance as words
	word     [requestTexts]uint32 // texts that recur, as words; 0: not looked up
	packed   [2][]byte            // join_key and trace_id as they were packed; nil: changed since
	buf      [2][36]byte          // of which these are unpacked
	idBuf    [36]byte             // the same of request_id
	mixed    bool                 // no one rank stands for each kind of field
	ranks    [ranks]uint8         // the rank that does
	ranked   [ranks]bool          // whether there is one yet
}

// clockReading is a mark on a monotonic clock; domain 0 is none.
type clockReading struct {
	mono   int64
	domain uint32
}

func index(f stream.Field) int { return int(f - requestFirst) }

func (r *Request) has(f stream.Field) bool {
	i := index(f)
	return r.set[i>>6]&(1<<(i&63)) != 0
}

func (r *Request) value(f stream.Field) (int64, bool) {
	return r.num[index(f)], r.has(f)
}

// count returns a number, 0 when unknown.
func (r *Request) count(f stream.Field) int64 {
	if !r.has(f) {
		return 0
	}
	return r.num[index(f)]
}

// The marks, ns since 1970 UTC. A missing received is finished − e2e where the source measured that.

func (r *Request) received() (int64, bool) {
	if t, ok := r.value(stream.RequestReceivedUnixNano); ok {
		return t, true
	}
	end, ok1 := r.value(stream.RequestFinishedUnixNano)
	e2e, ok2 := r.value(stream.RequestE2ENano)
	if ok1 && ok2 && e2e >= 0 && e2e < end {
		return end - e2e, true
	}
	return 0, false
}

func (r *Request) scheduled() (int64, bool)  { return r.value(stream.RequestScheduledUnixNano) }
func (r *Request) firstToken() (int64, bool) { return r.value(stream.RequestFirstTokenUnixNano) }
func (r *Request) finished() (int64, bool)   { return r.value(stream.RequestFinishedUnixNano) }
func (r *Request) clientGone() (int64, bool) { return r.value(stream.RequestClientGoneUnixNano) }

// lastTokenMark is the field that tells when the last token came: its own mark, unless that is only progress on the
// way to an end that went well; then the end itself. 0 when unknown.
func (r *Request) lastTokenMark() stream.Field {
	own := r.has(stream.RequestLastTokenUnixNano)
	if own && r.rank[index(stream.RequestLastTokenUnixNano)]&1 == 1 {
		return stream.RequestLastTokenUnixNano
	}
	if r.outcome() == stream.OutcomeOK && r.has(stream.RequestFirstTokenUnixNano) {
		return stream.RequestFinishedUnixNano
	}
	if own {
		return stream.RequestLastTokenUnixNano
	}
	return 0
}

func (r *Request) lastToken() (int64, bool) {
	f := r.lastTokenMark()
	if f == 0 {
		return 0, false
	}
	return r.value(f)
}

func (r *Request) outcome() stream.Outcome { return stream.Outcome(r.count(stream.RequestOutcome)) }

// endedWell is the end of a request whose outcome is ok.
func (r *Request) endedWell() (int64, bool) {
	if r.outcome() != stream.OutcomeOK {
		return 0, false
	}
	return r.finished()
}

// mark is a mark, that of received derived where it is missing.
func (r *Request) mark(f stream.Field) (int64, bool) {
	if f == stream.RequestReceivedUnixNano {
		return r.received()
	}
	return r.value(f)
}

// between is the time from one mark to another: on one monotonic clock where both have it, else on the wall clock.
// It is unknown when negative.
func (r *Request) between(from, to stream.Field) (int64, bool) {
	a, ok1 := r.mark(from)
	b, ok2 := r.mark(to)
	if !ok1 || !ok2 {
		return 0, false
	}
	d := b - a
	if ma, mb := r.mono[markIndex[index(from)]], r.mono[markIndex[index(to)]]; ma.domain != 0 && ma.domain == mb.domain {
		d = mb.mono - ma.mono
	}
	return d, d >= 0
}

// measured falls back to what the source measured, when the marks do not give the duration.
func (r *Request) measured(d int64, ok bool, f stream.Field) (int64, bool) {
	if ok {
		return d, true
	}
	v, ok := r.value(f)
	return v, ok && v >= 0
}

// The durations, ns: DESIGN "Times of a row".

func (r *Request) ttft() (int64, bool) {
	d, ok := r.between(stream.RequestReceivedUnixNano, stream.RequestFirstTokenUnixNano)
	if f := r.ttftField(); f != 0 {
		return r.measured(d, ok, f)
	}
	return d, ok
}

// ttftField is the measured kind of TTFT that starts where the row's own leg starts.
func (r *Request) ttftField() stream.Field {
	if r.id.role == stream.RoleGateway || r.id.role == stream.RoleClient {
		return stream.RequestTTFTGatewayNano
	}
	return stream.RequestTTFTEngineNano
}

func (r *Request) queueTime() (int64, bool) {
	d, ok := r.between(stream.RequestQueuedUnixNano, stream.RequestScheduledUnixNano)
	return r.measured(d, ok, stream.RequestQueueNano)
}

func (r *Request) restTime() (int64, bool) {
	return r.between(stream.RequestReceivedUnixNano, stream.RequestQueuedUnixNano)
}

func (r *Request) prefillTime() (int64, bool) {
	d, ok := r.between(stream.RequestScheduledUnixNano, stream.RequestFirstTokenUnixNano)
	return r.measured(d, ok, stream.RequestPrefillNano)
}

func (r *Request) decodeTime() (d int64, ok bool) {
	if last := r.lastTokenMark(); last != 0 {
		d, ok = r.between(stream.RequestFirstTokenUnixNano, last)
	}
	return r.measured(d, ok, stream.RequestDecodeNano)
}

func (r *Request) e2e() (int64, bool) {
	d, ok := r.between(stream.RequestReceivedUnixNano, stream.RequestFinishedUnixNano)
	return r.measured(d, ok, stream.RequestE2ENano)
}

// tpot is decode time ÷ (output tokens − 1), unknown below two tokens.
func (r *Request) tpot() (int64, bool) {
	d, ok := r.decodeTime()
	n, known := r.outputLength()
	if !ok || !known || n < 2 {
		return 0, false
	}
	return d / (n - 1), true
}

// The tokens. What was said is kept; what is booked is sane: cached at most prompt, output as finished or as seen.

func (r *Request) outputLength() (int64, bool) {
	if v, ok := r.value(stream.RequestOutputTokens); ok {
		return v, true
	}
	return r.outputSeen, r.outputSeen > 0
}

func (r *Request) outputTokens() int64 {
	v, _ := r.outputLength()
	return v
}

func (r *Request) promptTokens() int64 {
	if r.id.choice != 0 {
		return 0
	}
	return r.count(stream.RequestPromptTokens)
}

func (r *Request) cachedTokens() int64 {
	return min(r.cachedSaid(), r.promptTokens())
}

func (r *Request) cachedSaid() int64 {
	return r.count(stream.RequestCachedLocalTokens) + r.count(stream.RequestCachedExternalTokens) + r.count(stream.RequestCachedHostTokens)
}

func (r *Request) cachedKnown() bool {
	return r.has(stream.RequestCachedLocalTokens) || r.has(stream.RequestCachedExternalTokens) || r.has(stream.RequestCachedHostTokens)
}

func (r *Request) cacheKnownPromptTokens() int64 {
	if !r.cachedKnown() {
		return 0
	}
	return r.promptTokens()
}

// The spans over which spread measures happened. A missing mark takes its neighbour's place.

func (r *Request) firstOf(fields ...stream.Field) (int64, bool) {
	for _, f := range fields {
		if t, ok := r.value(f); ok {
			return t, true
		}
	}
	return 0, false
}

func (r *Request) promptSpan() (from, to int64, ok bool) {
	to, ok = r.firstOf(stream.RequestFirstTokenUnixNano, stream.RequestFinishedUnixNano)
	if !ok {
		return 0, 0, false
	}
	from, ok = r.firstOf(stream.RequestScheduledUnixNano, stream.RequestQueuedUnixNano)
	if !ok {
		if from, ok = r.received(); !ok {
			from = to
		}
	}
	return min(from, to), to, true
}

func (r *Request) outputSpan() (from, to int64, ok bool) {
	if to, ok = r.lastToken(); !ok {
		if to, ok = r.finished(); !ok {
			return 0, 0, false
		}
	}
	if from, ok = r.firstToken(); !ok {
		from = to
	}
	return min(from, to), to, true
}

func (r *Request) spanBetween(from, to stream.Field) (a, b int64, ok bool) {
	a, ok1 := r.value(from)
	b, ok2 := r.value(to)
	return a, b, ok1 && ok2 && b >= a
}

func (r *Request) waitingSpan() (from, to int64, ok bool) {
	return r.spanBetween(stream.RequestQueuedUnixNano, stream.RequestScheduledUnixNano)
}

func (r *Request) prefillSpan() (from, to int64, ok bool) {
	return r.spanBetween(stream.RequestScheduledUnixNano, stream.RequestFirstTokenUnixNano)
}

func (r *Request) decodeSpan() (from, to int64, ok bool) {
	from, ok1 := r.firstToken()
	to, ok2 := r.lastToken()
	return from, to, ok1 && ok2 && to >= from
}

func (r *Request) runningSpan() (from, to int64, ok bool) {
	return r.spanBetween(stream.RequestScheduledUnixNano, stream.RequestFinishedUnixNano)
}
