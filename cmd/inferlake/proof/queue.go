package proof

import (
	"container/heap"

	"github.com/inferlake/inferlake/stream"
)

// said is an event on its way, or bytes that are no event.
type said struct {
	event *stream.Event
	again bool // it was sent before
	pill  *Record
}

// item is what a queue holds: by time, then in the order in which it was put in.
type item struct {
	time  int64
	order int
	said
}

// queue is a heap by time.
type queue []item

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].time < q[j].time || q[i].time == q[j].time && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(item)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

func (q queue) due(now int64) bool { return len(q) > 0 && q[0].time <= now }
func (q *queue) next() said        { return heap.Pop(q).(item).said }
