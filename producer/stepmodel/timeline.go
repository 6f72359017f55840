package stepmodel

// Timeline gives back what was put into it in order of time; at one time, in the order of putting. The zero value
// is empty and ready.
type Timeline[T any] struct {
	heap []timed[T]
	puts int64
}

type timed[T any] struct {
	time, put int64
	value     T
}

func (a *timed[T]) before(b *timed[T]) bool {
	return a.time < b.time || a.time == b.time && a.put < b.put
}

// Put adds a value at a time.
func (l *Timeline[T]) Put(time int64, value T) {
	item := timed[T]{time, l.puts, value}
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

// Before takes out everything earlier than the time and gives it to do, which stops it by an error.
func (l *Timeline[T]) Before(time int64, do func(time int64, value *T) error) error {
	for len(l.heap) > 0 && l.heap[0].time < time {
		item := l.take()
		if err := do(item.time, &item.value); err != nil {
			return err
		}
	}
	return nil
}

func (l *Timeline[T]) take() timed[T] {
	first, last := l.heap[0], l.heap[len(l.heap)-1]
	l.heap[len(l.heap)-1] = timed[T]{}
	l.heap = l.heap[:len(l.heap)-1]
	if len(l.heap) > 0 {
		l.sink(last)
	}
	return first
}

// sink places an item from the top down.
func (l *Timeline[T]) sink(item timed[T]) {
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
