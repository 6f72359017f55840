package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/inferlake/inferlake/stream"
)

const (
	readWait   = 100 * time.Millisecond // how long a Read waits when there is nothing
	fetchBytes = 1 << 20                // more is slower: page faults
	batchBytes = 64 << 20               // what one batch may unpack to
	quiet      = time.Second            // silence after which the broker is asked
	stuck      = time.Minute            // silence, with records to read, after which the client is replaced
)

// ErrPastEnd is returned when a position lies beyond the end of the log: the topic was made anew, or lost its tail.
var ErrPastEnd = stream.ErrPastEnd

var errSilent = errors.New("nothing arrived")

// Reader is the log of one partition. It is for one goroutine.
//
// R1. A Read returns no offset below from, whatever a broker delivers.
// R2. Next counts control records: a commit marker is not a gap.
// R3. Records of open and aborted transactions are not returned. Fetch.End is the high watermark: an open transaction
// is a lag until it ends.
// R4. A position that retention has passed goes on at the log's start, which Fetch.Start names.
// R5. A batch that cannot be unpacked is one refused record, at the batch's last offset: it does not hold up the rest.
type Reader struct {
	conf  Config
	tp    stream.TopicPartition
	pools *pools

	cl    *kgo.Client
	adm   *kadm.Client
	at    int64 // offset that the client delivers next
	span  bounds
	fails int   // errors in a row
	err   error // what the last fetch said beside its records

	heard time.Time // when the broker last answered
	moved time.Time // when at last moved

	held []*kgo.Record
	out  []stream.Record
}

var _ stream.Log = (*Reader)(nil)

// bounds are the offsets that a log holds: [start, end).
type bounds struct{ start, end int64 }

// NewReader returns the log of one partition. It connects at the first Read.
func NewReader(conf Config, tp stream.TopicPartition) (*Reader, error) {
	conf = conf.withDefaults()
	if err := conf.validate(); err != nil {
		return nil, err
	}
	return &Reader{conf: conf, tp: tp, pools: new(pools)}, nil
}

// Close ends the connection. The records of the last Read are no longer valid.
func (r *Reader) Close() {
	r.recycle()
	if r.cl != nil {
		r.cl.Close()
		r.cl, r.adm = nil, nil
	}
}

// Read returns the records at or after from. It waits about 100 ms when there are none.
func (r *Reader) Read(ctx context.Context, from int64) (stream.Fetch, error) {
	r.recycle()
	if err := r.step(ctx, from); err != nil {
		if next, why := r.unreadable(ctx, from, err); why != stream.Accepted {
			return r.passOver(next, why), nil
		}
		return stream.Fetch{}, r.failed(err)
	}
	f := r.fetch(from)
	if f.Next > r.at {
		r.at, r.moved = f.Next, time.Now()
	}
	r.fails = 0
	return f, nil
}

// step stands at from, takes what the client has, and asks the broker when that is nothing.
func (r *Reader) step(ctx context.Context, from int64) error {
	if err := r.pending(); err != nil {
		return err
	}
	if err := r.stand(ctx, from); err != nil {
		return err
	}
	r.poll(ctx)
	if len(r.held) > 0 {
		return nil
	}
	if err := r.pending(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.ask(ctx)
}

// stand makes from the offset that the client delivers next.
func (r *Reader) stand(ctx context.Context, from int64) error {
	if r.cl != nil && r.at == from {
		return nil
	}
	if r.fails > 0 && !sleep(ctx, pauseAfter(r.fails)) {
		return ctx.Err()
	}
	if err := r.connect(from); err != nil {
		return err
	}
	r.at, r.moved = from, time.Now()
	if err := reach(ctx, r.cl); err != nil {
		return err
	}
	return r.look(ctx)
}

// connect replaces the client by one that starts at from. Seeks are rare, and a new client has no stale state.
func (r *Reader) connect(from int64) error {
	r.Close()
	cl, err := r.conf.dial(
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
			r.tp.Topic: {r.tp.Partition: kgo.NewOffset().At(from)},
		}),
		kgo.KeepControlRecords(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxBytes(2*fetchBytes),
		kgo.FetchMaxPartitionBytes(fetchBytes),
		kgo.MaxDecompressBatchBytes(batchBytes),
		kgo.WithPools(r.pools),
		kgo.WithHooks(r.pools),
	)
	if err != nil {
		return err
	}
	r.cl, r.adm = cl, kadm.NewClient(cl)
	return nil
}

// ask looks at a silent log from time to time, and gives up a client that does not deliver what is there.
func (r *Reader) ask(ctx context.Context) error {
	if time.Since(r.heard) < quiet {
		return nil
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	if r.span.end > r.at && time.Since(r.moved) > stuck {
		return fmt.Errorf("%w for %v though the log goes on from %d to %d; the client is replaced", errSilent, stuck, r.at, r.span.end)
	}
	return nil
}

// look asks for the log's bounds and refuses a position past its end.
func (r *Reader) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	span, err := listBounds(ctx, r.adm, r.tp)
	if err != nil {
		return err
	}
	r.span, r.heard = span, time.Now()
	if r.at > span.end {
		return fmt.Errorf("%w: position %d, end %d", ErrPastEnd, r.at, span.end)
	}
	return nil
}

// pending returns what went wrong beside the records of the last fetch, once.
func (r *Reader) pending() error {
	err := r.err
	r.err = nil
	return err
}

// failed words an error. Unless the client recovers from it by itself, the next Read starts with a new one. A client goes
// on asking for the id of a topic that was made anew.
func (r *Reader) failed(err error) error {
	r.fails++
	if !kerr.IsRetriable(err) || errors.Is(err, kerr.UnknownTopicID) || errors.Is(err, kerr.InconsistentTopicID) {
		r.Close()
	}
	return fmt.Errorf("cannot read %s/%d at %v: %w%s", r.tp.Topic, r.tp.Partition, r.conf.Brokers, err, r.conf.hint(err))
}
