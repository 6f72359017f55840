package stream

import (
	"math/rand/v2"
	"testing"
)

// Eight bytes at a time end where one at a time ends: at every byte, at every place.
func TestVerbatimEndsWhereBytesDo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for c := range 256 {
		for at := range 20 {
			b := make([]byte, 20)
			for i := range b {
				b[i] = byte(r.IntN(256))
				for i < at && special(b[i]) {
					b[i] = byte(r.IntN(256))
				}
			}
			b[at] = byte(c)
			want := 0
			for want < len(b) && !special(b[want]) {
				want++
			}
			if got := verbatim(b); got != want {
				t.Fatalf("verbatim(%q) = %d, want %d", b, got, want)
			}
		}
	}
}
