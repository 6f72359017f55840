package stepmodel

// Request is one request as it arrives.
type Request struct {
	ID      int64 // the caller's own; outputs carry it back
	Arrival int64 // µs since 1970
	Prompt  int64 // tokens; below one counts as one
	Output  int64 // tokens; below one counts as one

	Blocks      []uint64 // hashes of the prompt's blocks in order, each naming the whole prefix up to its end
	BlockTokens int64    // tokens of a block of Blocks

	Ready       int64 // µs since 1970 when it may be scheduled; 0: when the profile's Pre is over
	Transferred int64 // prompt tokens whose KV cache comes with it from another engine; all but the last at most
	Tell        int64 // tell Reached when so many tokens are out; those after it count as given to nobody. 0: never
	FirstBy     int64 // µs since 1970: aborted when it has no token by then; 0: never
	EndBy       int64 // µs since 1970: aborted when it is not over by then; 0: never
}

// Kind says what an Output tells of.
type Kind uint8

// The kinds of output: six moments of a request, then what a replica says of itself, then moments that few requests
// have.
const (
	Arrived    Kind = iota + 1 // the request reached the engine
	Queued                     // it may be scheduled from now on
	Scheduled                  // start of the first pass that computes it, or that computes it again
	FirstToken                 // end of the pass that completed its prompt
	LastToken                  // end of the pass that gave its last token
	Finished                   // the answer is complete
	Rejected                   // it can never fit the KV cache; told instead of Scheduled and the rest
	Sampled                    // Sample is set
	Ran                        // Run is set
	Preempted                  // its KV cache was taken; it waits to be computed again
	Reached                    // it gave the tokens that Request.Tell names
	Aborted                    // dropped at FirstBy or EndBy; told instead of LastToken and Finished
	Lost                       // its replica died; told instead of the rest
)

// Output is something that happened on a replica.
type Output struct {
	Kind    Kind
	Replica int
	Request int64 // ID of the request, for the moments
	Pass    int64 // Scheduled, FirstToken, LastToken, Finished: ordinal of the pass on its replica, from 1
	Cached  int64 // Scheduled: tokens found in the prefix cache
	Hits    int64 // Scheduled: leading blocks found, the last one also when its tokens are computed again
	Stay    int64 // Scheduled, Preempted: ordinal of the stay in the batch, from 1
	Tokens  int64 // Scheduled, Preempted: output tokens so far
	Kept    int64 // Preempted: tokens that were in the KV cache

	Running, Waiting int64 // Arrived: requests on the replica just before

	Use    *Use // Finished, Aborted, Lost: what it took
	Sample *Sample
	Run    *Run
}

// Use is what a request took in all.
type Use struct {
	Output      int64 // tokens given
	Recomputed  int64 // tokens computed again after preemptions
	Drafted     int64 // tokens proposed by speculation
	Accepted    int64 // of those
	Preemptions int64
	Preempted   int64 // µs between a preemption and the stay after it
	Spent       Spent // with Config.Attribute
}

// Spent is GPU time of a request, ns: its share of the passes that it was in.
type Spent struct {
	Prefill, Decode, Cached int64 // sum up to the whole; Cached is reading the cached part of its prompt

	Recompute int64 // inside Prefill and Cached: computing again after a preemption
	Unheard   int64 // inside the whole: after the token that Request.Tell names
	Rejected  int64 // inside Decode: work on drafts that were not accepted
}

// Total is the whole of it, ns.
func (s *Spent) Total() int64 { return s.Prefill + s.Decode + s.Cached }

// Counts sums passes.
type Counts struct {
	Passes              int64
	Wall                int64 // µs
	PrefillTokens       int64 // P: prompt tokens computed
	PrefillContextTwice int64 // 2X = Σ k·(2c + k) over chunks of k tokens at context c
	PrefillSequences    int64 // sequences with a chunk, summed over passes
	DecodeSequences     int64 // sequences decoding, summed over passes
	DecodeTokens        int64 // D: tokens decoded, drafts included
	KVTokensRead        int64 // K: tokens of context read by decoding sequences
}

func (c *Counts) add(o *Counts) {
	c.Passes += o.Passes
	c.Wall += o.Wall
	c.PrefillTokens += o.PrefillTokens
	c.PrefillContextTwice += o.PrefillContextTwice
	c.PrefillSequences += o.PrefillSequences
	c.DecodeSequences += o.DecodeSequences
	c.DecodeTokens += o.DecodeTokens
	c.KVTokensRead += o.KVTokensRead
}

// Run is consecutive passes of one replica, summed; its time is the end of the last. A pass with prefill is a run
// of its own; others join while the number of decoding sequences stays, up to 64 passes or 1 s.
type Run struct {
	Counts
	Total Counts // of the replica from its start up to and with this run
}

// Sample is the state of a replica at one moment, and its counters so far.
type Sample struct {
	Dt               int64 // µs that it stands for, from its time on
	Running, Waiting int64 // requests
	KVTokens         int64 // tokens of the KV cache taken by running requests
	Evictable        int64 // tokens of the KV cache that hold only prefixes; -1 where the prefix cache has room of its own
	BatchSequences   int64 // sequences of the pass under way, 0 when idle
	BatchTokens      int64 // tokens of the pass under way

	Busy         int64 // µs spent in passes so far, that of the pass under way included
	Passes       Counts
	PromptTokens int64 // of scheduled requests, cached ones included
	CachedTokens int64
	OutputTokens int64
	CacheQueries int64 // prompt tokens looked up in the prefix cache
	Finished     int64 // requests, aborted ones included
	Evictions    int64 // blocks of the prefix cache
	Preemptions  int64
	Failures     int64 // allocations of KV blocks that found none free
	Rejections   int64 // requests
	Aborted      int64 // requests
}
