package aggregate

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/inferlake/inferlake/stream"
)

// Delta is what a batch adds to the tables, and which earlier request rows it replaces.
type Delta struct {
	Rows     []TableRows // at most one entry a table, in the order of Tables; none is empty
	Replaced []RowID     // rows of requests to delete before Rows is added
}

// TableRows are the rows for one table, in the columns of its Schema.
type TableRows struct {
	Table *Table
	Batch arrow.RecordBatch
}

// RowID names a row of requests: the place of its first event.
type RowID struct {
	stream.TopicPartition
	stream.Position
}

// Release gives the batches' memory back. The maker of a delta calls it once the sink has answered.
func (d Delta) Release() {
	for _, r := range d.Rows {
		r.Batch.Release()
	}
}

// NumRows is the number of rows in all tables.
func (d Delta) NumRows() int64 {
	var n int64
	for _, r := range d.Rows {
		n += r.Batch.NumRows()
	}
	return n
}
