package warehouse

import (
	"testing"

	"github.com/inferlake/inferlake/aggregate"
	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/sinktest"
)

func TestWarehouseIsASink(t *testing.T) {
	mem, dir := allocator(t), t.TempDir()
	var w *Warehouse
	sinktest.Exercise(t, sinktest.Sink[aggregate.Delta]{
		Open: func(t *testing.T) stream.Sink[aggregate.Delta] {
			if w != nil {
				w.Close()
			}
			w = open(t, dir)
			return w
		},
		Delta: func(t *testing.T, tp stream.TopicPartition, from, to int64) aggregate.Delta {
			if from == to {
				return aggregate.Delta{}
			}
			d := aggregate.Delta{Rows: []aggregate.TableRows{rowsOf(mem, aggregate.Requests, requests(tp, from, to)...)}}
			t.Cleanup(d.Release)
			return d
		},
		Rows: func(t *testing.T) int64 { return ask(t, w, "SELECT count(*) FROM requests") },
	})
}
