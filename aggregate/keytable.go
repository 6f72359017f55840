package aggregate

// keyTable finds a request's slot by its key: open addressing over words of 8 bytes, half of the hash and the slot's
// number. The reference beside it in the tests is a Go map.
type keyTable struct {
	words []uint64 // 0: empty
	n     int
}

const keyTableLeast = 1 << 10

func (t *keyTable) mask() uint32 { return uint32(len(t.words) - 1) }

// home is the half of the key that a word holds, and its place in a table large enough.
func home(k requestKey) uint32 { return uint32(k[0]) }

// look looks at the key's place.
func (t *keyTable) look(k requestKey) uint64 {
	if t.n == 0 {
		return 0
	}
	return t.words[home(k)&t.mask()]
}

// likely returns the number of a slot that may have the key, 0 for none: it does not look.
func (t *keyTable) likely(k requestKey) uint32 {
	if t.n == 0 {
		return 0
	}
	h, mask := home(k), t.mask()
	for i := h & mask; ; i = (i + 1) & mask {
		w := t.words[i]
		if w == 0 || uint32(w>>32) == h {
			return uint32(w)
		}
	}
}

// find returns the number of the slot with the key, 0 for none.
func (t *keyTable) find(k requestKey, s *slots) uint32 {
	if t.n == 0 {
		return 0
	}
	h, mask := home(k), t.mask()
	for i := h & mask; ; i = (i + 1) & mask {
		w := t.words[i]
		if w == 0 {
			return 0
		}
		if n := uint32(w); uint32(w>>32) == h && s.at(n).key == k {
			return n
		}
	}
}

// add adds a key that is not there.
func (t *keyTable) add(k requestKey, n uint32) {
	if t.n+1 > len(t.words)/4*3 {
		t.grow()
	}
	t.place(uint64(home(k))<<32 | uint64(n))
	t.n++
}

func (t *keyTable) place(w uint64) {
	mask := t.mask()
	i := uint32(w>>32) & mask
	for t.words[i] != 0 {
		i = (i + 1) & mask
	}
	t.words[i] = w
}

func (t *keyTable) grow() {
	old := t.words
	t.words = make([]uint64, max(keyTableLeast, 2*len(old)))
	for _, w := range old {
		if w != 0 {
			t.place(w)
		}
	}
}

// remove takes a slot's word out and moves up those behind it that may come closer to their home.
func (t *keyTable) remove(k requestKey, n uint32) {
	mask := t.mask()
	i := home(k) & mask
	for uint32(t.words[i]) != n {
		if t.words[i] == 0 {
			panic("aggregate: a request that is not in the table was to be removed from it")
		}
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; t.words[j] != 0; j = (j + 1) & mask {
		if at := uint32(t.words[j]>>32) & mask; (j-at)&mask >= (j-i)&mask {
			t.words[i], i = t.words[j], j
		}
	}
	t.words[i] = 0
	t.n--
}
