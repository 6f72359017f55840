package aggregate

// slot is what is at hand of a request without unpacking it: one line of the processor's cache, without pointers.
type slot struct {
	key        requestKey
	touched    int64 // log clock of its last record
	first      int64 // its earliest mark while it is open; 0: none
	cut        int64 // number of the cut that its row goes out with; 0: not written yet
	body       uint32
	prev, next uint32 // neighbours in its queue
	bookedDims int32
	used, last uint16 // bytes of body in use, unless it is a large one; where the last addition begins in them, 0 for none
	class      uint8  // of body
	booked     bool   // its moments stand in the windows' deltas, under bookedDims
	gone       bool   // forgotten; kept for its row's sake
}

func (s *slot) block() block { return block{s.body, s.class} }

// slots hands slots out by number, from 1.
type slots struct {
	pieces [][]slot
	made   uint32
	free   uint32 // first free one; next leads on
}

const slotPiece = 1 << 10

func (s *slots) at(n uint32) *slot { return &s.pieces[n/slotPiece][n%slotPiece] }

// take returns an empty slot.
func (s *slots) take() uint32 {
	if n := s.free; n != 0 {
		at := s.at(n)
		s.free = at.next
		*at = slot{}
		return n
	}
	s.made++
	if int(s.made/slotPiece) == len(s.pieces) {
		s.pieces = append(s.pieces, make([]slot, slotPiece))
	}
	return s.made
}

func (s *slots) drop(n uint32) {
	*s.at(n) = slot{next: s.free}
	s.free = n
}
