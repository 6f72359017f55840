package aggregate

import "encoding/binary"

// slab holds blocks of bytes by number, in large pieces without pointers: the garbage collector has nothing to look at,
// and a block costs no more than its size rounded up.
type slab struct {
	pieces [][]byte
	used   uint32 // units of the pieces that were ever in use
	free   [slabClasses]uint32
	large  [][]byte // blocks beyond the largest class, by number
	vacant []uint32 // of large
}

const (
	slabUnit   = 32
	pieceUnits = 1 << 12
)

// slabSizes are the sizes of blocks in units, each about a quarter more than the one before: a request that grows by a few
// fields stays where it is, and leaves no hole of a size that nobody asks for. Class 0 is a large one.
var slabSizes = [...]uint32{0, 1, 2, 3, 4, 5, 7, 9, 11, 14, 18, 23, 29, 37, 47, 59}

const slabClasses = len(slabSizes)

// slabClass is the class of each size in units.
var slabClass = classesOf()

func classesOf() (c [60]uint8) {
	class := uint8(1)
	for units := 1; units < len(c); units++ {
		if uint32(units) > slabSizes[class] {
			class++
		}
		c[units] = class
	}
	return c
}

// block is where bytes are.
type block struct {
	number uint32 // from 1; 0 is none
	class  uint8
}

func classOf(n int) uint8 {
	if units := (n + slabUnit - 1) / slabUnit; units < len(slabClass) {
		return slabClass[units]
	}
	return 0
}

// bytes are the block's, up to its class's size.
func (s *slab) bytes(b block) []byte {
	if b.class == 0 {
		return s.large[b.number-1]
	}
	unit := b.number - 1
	at := unit % pieceUnits * slabUnit
	return s.pieces[unit/pieceUnits][at : at+slabSizes[b.class]*slabUnit]
}

// put replaces a block by content, in the same place where it fits. A new place has room for more.
func (s *slab) put(old block, content []byte, more int) block {
	class := classOf(len(content))
	if class == 0 {
		s.drop(old)
		return s.putLarge(content)
	}
	if old.number == 0 || old.class < class {
		s.drop(old)
		if roomy := classOf(len(content) + more); roomy != 0 {
			class = roomy
		}
		old = s.take(class)
	}
	copy(s.bytes(old), content)
	return old
}

func (s *slab) putLarge(content []byte) block {
	content = append([]byte(nil), content...)
	if last := len(s.vacant) - 1; last >= 0 {
		n := s.vacant[last]
		s.vacant = s.vacant[:last]
		s.large[n] = content
		return block{number: n + 1}
	}
	s.large = append(s.large, content)
	return block{number: uint32(len(s.large))}
}

// take finds a free block, else makes one.
func (s *slab) take(class uint8) block {
	if n := s.free[class]; n != 0 {
		b := block{n, class}
		s.free[class] = binary.LittleEndian.Uint32(s.bytes(b))
		return b
	}
	if left := pieceUnits - s.used%pieceUnits; s.used%pieceUnits != 0 && left < slabSizes[class] {
		s.used += left // what is left of a piece is given up
	}
	if s.used/pieceUnits == uint32(len(s.pieces)) {
		s.pieces = append(s.pieces, make([]byte, pieceUnits*slabUnit))
	}
	b := block{s.used + 1, class}
	s.used += slabSizes[class]
	return b
}

// drop frees a block; its first bytes name the next free one of its class.
func (s *slab) drop(b block) {
	switch {
	case b.number == 0:
	case b.class == 0:
		s.large[b.number-1] = nil
		s.vacant = append(s.vacant, b.number-1)
	default:
		binary.LittleEndian.PutUint32(s.bytes(b), s.free[b.class])
		s.free[b.class] = b.number
	}
}
