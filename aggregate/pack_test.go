package aggregate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// someRequest knows each field with a chance of one in so many.
func someRequest(rng *rand.Rand, oneIn int) *Request {
	r := new(Request)
	r.key = requestKey{rng.Uint64(), rng.Uint64()}
	r.place = stream.Position{Offset: rng.Int64N(1 << 40), Index: rng.Int32()}
	r.id = identity{producer: someText(rng, false), boot: someText(rng, true), source: "engine", instance: someText(rng, false),
		requestID: someText(rng, true), dpIndex: rng.Int64N(8), attempt: rng.Int64N(3), choice: rng.Int64N(3),
		ordinal: rng.Int64N(2) * rng.Int64N(1<<40), role: stream.Role(rng.IntN(5))}
	r.numbered = r.id.ordinal != 0
	r.id.life = []int64{r.impliedLife(), rng.Int64N(1 << 40)}[rng.IntN(2)]
	start, domain := rng.Int64N(1<<62), rng.Uint32()|1
	one := rng.IntN(2) == 0
	for i := range requestFields {
		f := requestFirst + stream.Field(i)
		if rng.IntN(oneIn) != 0 || stream.Fields[f].Merge == stream.Context || stream.Fields[f].Merge == stream.Identity || stream.Fields[f].Type == stream.Ints {
			continue
		}
		v, rank := someNumber(rng, &stream.Fields[f]), uint8(rng.IntN(8))
		if one {
			rank = [ranks]uint8{0, 2, 5}[packRanks[i]]
		}
		switch packKinds[i] {
		case packWord, packOwn:
			v = 0
			r.setText(i, someText(rng, packKinds[i] == packOwn))
		case packMark:
			v = start + rng.Int64N(1<<50) - 1<<49
			if rng.IntN(4) != 0 {
				r.mono[markIndex[i]] = clockReading{v - start + rng.Int64N(1000), domain + uint32(rng.IntN(2)*(1-int(is(one))))*2}
			}
		}
		r.put(i, v, rank)
	}
	if rng.IntN(2) == 0 {
		r.itlBucket, r.itlCount = []int64{3, 9, 700}, []int64{rng.Int64N(100), 2, 1 << 40}
	}
	r.outputSeen, r.stepFirst, r.stepLast = rng.Int64N(1<<32), rng.Int64N(1<<48), rng.Int64N(1<<48)
	for i := range r.progressSeen {
		r.progressSeen[i] = rng.Int64N(1 << 20)
	}
	r.flags, r.events, r.revision, r.late = Flags(rng.Int64N(1<<20)), rng.Int64N(1<<30), rng.Int64N(9), rng.IntN(2) == 0
	return r
}

func someNumber(rng *rand.Rand, info *stream.FieldInfo) int64 {
	least, most := info.Bounds()
	switch rng.IntN(4) {
	case 0:
		return least
	case 1:
		return most
	}
	return rng.Int64N(min(most, 1<<uint(1+rng.IntN(40))))
}

func someText(rng *rand.Rand, own bool) string {
	a, b := rng.Uint64(), rng.Uint64()
	forms := []string{"", "cmpl-1", fmt.Sprintf("%016x%016x", a, b), fmt.Sprintf("%016X%016x", a, b), fmt.Sprintf("%016x-%015x", a, b>>4),
		fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a), uint16(b), uint16(b>>16), uint16(b>>32), a>>16),
		fmt.Sprintf("%08x-%04x-%04x-%04x-%011xg", uint32(a), uint16(b), uint16(b>>16), uint16(b>>32), a>>20), string(make([]byte, 300))}
	if own {
		return forms[rng.IntN(len(forms))]
	}
	return fmt.Sprint("name-", a%50)
}

// what is everything that a request says, in a form that compares.
func (r *Request) what() string {
	s := fmt.Sprintf("%v %v %v %v %v %v %v %v %v %v %v %v", r.place, r.set, r.outputSeen, r.progressSeen, r.stepFirst, r.stepLast, r.flags, r.events, r.revision, r.late, r.itlBucket, r.itlCount)
	s += fmt.Sprintf(" %q", fmt.Sprint(r.id))
	for i := range requestFields {
		f := requestFirst + stream.Field(i)
		if !r.has(f) {
			continue
		}
		s += fmt.Sprintf("\n%s %d rank %d", stream.Fields[f].Name, r.num[i], r.rank[i])
		switch packKinds[i] {
		case packWord, packOwn:
			s += fmt.Sprintf(" %q", r.text[textSlot[i]])
		case packMark:
			s += fmt.Sprint(r.mono[markIndex[i]])
		}
	}
	return s
}

// TestPackedRequestsComeBack: what is unpacked is what was packed, whatever is known, and packs to the same bytes.
func TestPackedRequestsComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := newWords()
	back := new(Request)
	for i := range 4_000 {
		r := someRequest(rng, 1+i%5)
		b := r.pack(nil, &w)
		back.unpack(b, &w)
		back.know(&w)
		if r.what() != back.what() {
			t.Fatalf("request %d\n%s\ncame back as\n%s", i, r.what(), back.what())
		}
		if again := back.pack(nil, &w); !reflect.DeepEqual(b, again) {
			t.Fatalf("request %d packs to other bytes when it comes back", i)
		}
	}
}

// TestAppendState holds the quick way to write a request's state to the plain one.
func TestAppendState(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 2_000 {
		r := someRequest(rng, 1+i%5)
		c := &codec{}
		if r.state(c); string(c.buf) != string(r.appendState(nil)) {
			t.Fatalf("request %d is written in two ways\n%s", i, r.what())
		}
	}
}

// TestKeyTable holds the table to a map.
func TestKeyTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var table keyTable
	s := &slots{}
	model := map[requestKey]uint32{}
	for range 200_000 {
		k := requestKey{rng.Uint64N(2000) << 20, 1} // homes collide in small tables
		n := table.find(k, s)
		if n != model[k] {
			t.Fatalf("key %v is at %d, want %d", k, n, model[k])
		}
		if n == 0 {
			n = s.take()
			s.at(n).key = k
			table.add(k, n)
			model[k] = n
		} else if rng.IntN(2) == 0 {
			table.remove(k, n)
			s.drop(n)
			delete(model, k)
		}
	}
	if table.n != len(model) {
		t.Errorf("%d keys in the table, want %d", table.n, len(model))
	}
}

// TestSlab holds blocks to copies of them.
func TestSlab(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var s slab
	type held struct {
		block
		content []byte
	}
	var all []held
	content := func() []byte {
		b := make([]byte, 1+rng.IntN([]int{100, 500, 5000}[rng.IntN(3)]))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	for range 20_000 {
		if len(all) < 300 {
			c := content()
			all = append(all, held{s.put(block{}, c, rng.IntN(80)), c})
			continue
		}
		i := rng.IntN(len(all))
		if have := s.bytes(all[i].block)[:len(all[i].content)]; string(have) != string(all[i].content) {
			t.Fatal("a block has other bytes than were put there")
		}
		if rng.IntN(3) == 0 {
			s.drop(all[i].block)
			all[i] = all[len(all)-1]
			all = all[:len(all)-1]
			continue
		}
		all[i].content = content()
		all[i].block = s.put(all[i].block, all[i].content, rng.IntN(80))
	}
}
