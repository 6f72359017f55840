package stepmodel

// Timeline gives back what was put into it in order of time; at one time, in the order of putting. The zero value
// is empty and ready.
type Timeline[T any] struct {
	heap   []timed
	puts   int64
	values []T // at the slots that the heap names, and at spare ones
	spare  []int32
}

// timed stands in the heap for a value, which is not moved.
type timed struct {
	time, put int64
	slot      int32
}

func (a *timed) before(b *timed) bool {
	return a.time < b.time || a.time == b.time && a.put < b.put
}

// Put adds a value at a time.
func (l *Timeline[T]) Put(time int64, value T) {
	item := timed{time, l.puts, l.keep(value)}
	l.puts++
	l.heap = append(l.heap, item)
	i := len(l.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !item.before(&l.heap[up]) {
			break
		}
		l.heap[i], i = l.heap[up], up
	}
	l.heap[i] = item
}

func (l *Timeline[T]) keep(value T) int32 {
	if n := len(l.spare); n > 0 {
		slot := l.spare[n-1]
		l.spare = l.spare[:n-1]
		l.values[slot] = value
		return slot
	}
	l.values = append(l.values, value)
	return int32(len(l.values) - 1)
}

// Next is the time of the first value, and whether there is one.
func (l *Timeline[T]) Next() (time int64, ok bool) {
	if len(l.heap) == 0 {
		return 0, false
	}
	return l.heap[0].time, true
}

// Before takes out everything earlier than the time and gives it to do, which stops it by an error.
func (l *Timeline[T]) Before(time int64, do func(time int64, value *T) error) error {
	for len(l.heap) > 0 && l.heap[0].time < time {
		at, value := l.Take()
		if err := do(at, &value); err != nil {
			return err
		}
	}
	return nil
}

// Take takes the first value out. There must be one.
func (l *Timeline[T]) Take() (time int64, value T) {
	first, last := l.heap[0], l.heap[len(l.heap)-1]
	l.heap = l.heap[:len(l.heap)-1]
	if len(l.heap) > 0 {
		l.sink(last)
	}
	value, l.values[first.slot] = l.values[first.slot], value
	l.spare = append(l.spare, first.slot)
	return first.time, value
}

// sink places an item from the top down.
func (l *Timeline[T]) sink(item timed) {
	i, n := 0, len(l.heap)
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && l.heap[down+1].before(&l.heap[down]) {
			down++
		}
		if !l.heap[down].before(&item) {
			break
		}
		l.heap[i], i = l.heap[down], down
	}
	l.heap[i] = item
}
