package aggregate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/stream"
)

// fuzzRules have caps that a few events reach.
var fuzzRules = Rules{Expiry: 60e9, ClosedMemory: 20e9, MaxLife: 600e9, MaxOpen: 6, MaxClosed: 4, MaxLanes: 4, MaxRuns: 3,
	MaxSeries: 4, MaxWindows: 300, MaxNames: 3, NameMemory: 300e9}

const (
	fuzzEvents = 64       // of one input, at most
	fuzzBytes  = 64 << 20 // that one input may make the fold allocate
)

// fuzzScript reads an input as calls of a fold. Where it ends, it reads zeros.
type fuzzScript struct {
	in []byte
	at int64 // log time
}

func (s *fuzzScript) byte() (b byte) {
	if len(s.in) > 0 {
		b, s.in = s.in[0], s.in[1:]
	}
	return b
}

// int is a small number or any number.
func (s *fuzzScript) int() int64 {
	b := s.byte()
	if b < 224 {
		return int64(b) - 32
	}
	var word [8]byte
	s.in = s.in[copy(word[:], s.in):]
	return int64(binary.LittleEndian.Uint64(word[:]))
}

// time is one near the log's time or any time.
func (s *fuzzScript) time() int64 {
	v := s.int()
	if v > -64 && v < 256 {
		return s.at + v*second
	}
	return v
}

// event is any event of a kind; whether it is one is for Validate to say.
func (s *fuzzScript) event() (e stream.Event) {
	kind := stream.Kinds[int(s.byte())%len(stream.Kinds)].Kind
	e.Reset(kind)
	e.SetText(stream.EventInstance, "i")
	e.SetInt(stream.EventTimeUnixNano, s.at)
	if kind == stream.KindRequest {
		e.SetInt(stream.RequestPhase, 1+int64(s.byte())%11)
	}
	fields := append(stream.FieldsOf(stream.Envelope), stream.FieldsOf(kind)...)
	for range s.byte() % 24 {
		s.field(&e, fields[int(s.byte())%len(fields)])
	}
	return e
}

func (s *fuzzScript) field(e *stream.Event, f stream.Field) {
	info := &stream.Fields[f]
	least, most := info.Bounds()
	switch info.Type {
	case stream.Text:
		e.SetText(f, string(rune('a'+s.byte()%5)))
	case stream.Texts:
		e.SetTexts(f, []string{"a", "b"}[:s.byte()%3])
	case stream.Ints:
		e.SetInts(f, []int64{min(s.int()&most, most), s.int() & most}[:s.byte()%3])
	case stream.Time:
		e.SetInt(f, s.time())
	default:
		e.SetInt(f, min(max(s.int(), least), most))
	}
}

// play makes the calls and checks I4 after each.
func (s *fuzzScript) play(t *testing.T, f *Fold) {
	for i := range int64(fuzzEvents) {
		if len(s.in) == 0 {
			return
		}
		switch op := s.byte(); op % 8 {
		case 0:
			f.Tick(stream.Tick{Offset: i, At: s.time(), Flush: op > 128})
		case 1:
			d := f.Cut()
			d.Release()
		case 2:
			f.Gap(stream.Gap{From: i, To: i + 1})
		default:
			s.record(f, i)
		}
		if c := f.Status(); c.Consumed != c.Loaded+c.Pending+c.Duplicate+c.Dead || c.Pending < 0 || c.Open < 0 {
			t.Fatalf("consumed %d ≠ loaded %d + pending %d + duplicate %d + dead %d", c.Consumed, c.Loaded, c.Pending, c.Duplicate, c.Dead)
		}
	}
}

func (s *fuzzScript) record(f *Fold, offset int64) {
	s.at += int64(s.byte()) * second / 8
	f.Begin(offset, s.at, s.byte() > 250)
	e := s.event()
	if why := stream.Validate(&e, true); why != stream.Accepted {
		f.Refuse(stream.DeadLetter{Position: stream.Position{Offset: offset}, Reason: why, Events: 1})
		return
	}
	f.Apply(&e, stream.Position{Offset: offset})
}

func fuzzSeeds(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		in := make([]byte, 50*i)
		for j := range in {
			in[j] = byte(rng.Uint32())
		}
		f.Add(in)
	}
}

// allocated is what do allocates, bytes.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Whatever is accepted from the log: no panic, every event accounted for, bounded memory, and the state comes back
// whole from its snapshot.
func FuzzFold(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		fold, again := NewFold(testLog, fuzzRules, memory.NewGoAllocator()), NewFold(testLog, fuzzRules, memory.NewGoAllocator())
		defer fold.Close()
		defer again.Close()
		s := fuzzScript{in: in, at: 1_700_000_000 * second}
		if took := allocated(func() { s.play(t, fold); fold.Cut().Release() }); took > fuzzBytes {
			t.Fatalf("%d bytes of input took %d of memory", len(in), took)
		}
		snapshot := fold.Snapshot(nil)
		if err := again.Restore(snapshot); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Snapshot(nil), snapshot) || again.Status() != fold.Status() {
			t.Fatal("the restored state is another")
		}
	})
}

// Whatever a snapshot's bytes: an error or a state, in bounded memory; a state can be written and flushed.
func FuzzRestore(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		in := make([]byte, 40*i)
		for j := range in {
			in[j] = byte(rng.Uint32())
		}
		fold := NewFold(testLog, fuzzRules, memory.NewGoAllocator())
		s := fuzzScript{in: in, at: 1_700_000_000 * second}
		s.play(&testing.T{}, fold)
		fold.Cut().Release()
		f.Add(fold.Snapshot(nil))
		fold.Close()
	}
	f.Fuzz(func(t *testing.T, snapshot []byte) {
		fold := NewFold(testLog, fuzzRules, memory.NewGoAllocator())
		defer fold.Close()
		var err error
		if took := allocated(func() { err = fold.Restore(snapshot) }); took > uint64(128*len(snapshot)+1<<20) {
			t.Fatalf("%d bytes of snapshot took %d of memory", len(snapshot), took)
		}
		if err != nil {
			return
		}
		fold.Status()
		fold.Snapshot(nil)
		fold.Tick(stream.Tick{Flush: true})
		fold.Cut().Release()
	})
}
