package verdict

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/inferlake/inferlake/sql"
)

// Store is where data are read and conclusions kept.
type Store interface {
	// Rows runs a query that only reads, with parameters by name, and returns its rows with values by column.
	Rows(ctx context.Context, query string, args map[string]any) ([]map[string]any, error)
	// Put runs a statement of package sql by name; the number of its commit is its last argument.
	Put(ctx context.Context, statement string, args ...any) error
}

// FitOptions say what a fit is made of.
type FitOptions struct {
	Span  time.Duration // how much of the latest data, 24 h where 0
	Every time.Duration // how much newer data than the last fit's a new one needs at most, 24 h where 0; less is enough that is as long as the last fit's
}

// sources are where a fit can come from, the better one first; a kind of instance whose passes are told is not fitted to marks.
var sources = []struct{ name, moments string }{{"steps", "pass_moments"}, {"marks", "mark_moments"}}

// FitInstances fits the time of a pass for each kind of instance that has no fit of late, and keeps what it finds. It returns how
// many were fitted. A kind that cannot be fitted yet is left for the next time.
func FitInstances(ctx context.Context, s Store, o FitOptions) (fitted int, err error) {
	for _, source := range sources {
		rows, err := s.Rows(ctx, sql.Statement(source.moments), map[string]any{
			"span": orDay(o.Span).Microseconds(), "every": orDay(o.Every).Microseconds()})
		if err != nil {
			return fitted, fmt.Errorf("cannot read what fits are made of (%s): %w", source.name, err)
		}
		for _, part := range byKind(rows) {
			fit, err := FitPasses(part.blocks)
			if err != nil {
				continue
			}
			if err := s.Put(ctx, "insert_fit", part.arguments(source.name, &fit)...); err != nil {
				return fitted, fmt.Errorf("cannot keep the fit of %v: %w", part.key[0], err)
			}
			fitted++
		}
	}
	return fitted, nil
}

func orDay(d time.Duration) time.Duration {
	if d == 0 {
		return 24 * time.Hour
	}
	return d
}

// part is the blocks of one kind.
type part struct {
	key          [6]any // model, model_version, gpu_type, tensor_parallel, engine, engine_version
	since, until int64  // µs since 1970
	blocks       []Moments
}

// byKind parts rows, which come sorted.
func byKind(rows []map[string]any) (parts []*part) {
	for _, row := range rows {
		key := [6]any{row["model"], row["model_version"], row["gpu_type"], row["tensor_parallel"], row["engine"], row["engine_version"]}
		if len(parts) == 0 || parts[len(parts)-1].key != key {
			parts = append(parts, &part{key: key, since: math.MaxInt64})
		}
		p := parts[len(parts)-1]
		p.since, p.until = min(p.since, row["since"].(int64)), max(p.until, row["until"].(int64))
		p.blocks = append(p.blocks, momentsOf(row))
	}
	return parts
}

func momentsOf(row map[string]any) Moments {
	return Moments{Engine: row["engine_number"].(int64), Runs: row["runs"].(int64), Passes: row["passes"].(int64), Time: row["time"].(float64),
		Sum:      vectorOf(row["sums"]),
		Weighted: weightedOf(row["square"], row["target"], row["gram"]),
		Once:     weightedOf(row["square_once"], row["target_once"], row["gram_once"])}
}

// weightedOf reads sums, nil where there are none; of the Gram matrix the upper half.
func weightedOf(square, target, gram any) (w Weighted) {
	if square == nil {
		return w
	}
	w.Square, w.Target = square.(float64), vectorOf(target)
	rest := gram.([]any)
	for i := range features {
		for j := i; j < features; j++ {
			w.Gram[i][j] = rest[0].(float64)
			w.Gram[j][i] = w.Gram[i][j]
			rest = rest[1:]
		}
	}
	return w
}

func vectorOf(list any) (v Vector) {
	for i, x := range list.([]any) {
		v[i] = x.(float64)
	}
	return v
}

// arguments are those of insert_fit, but for the commit.
func (p *part) arguments(source string, f *PassFit) []any {
	args := append([]any(nil), p.key[:]...)
	args = append(args, source, p.since, p.until, f.Runs, f.Passes)
	for _, c := range f.Coefficients {
		args = append(args, int64(math.Round(c*1e6))) // fs
	}
	return append(args, f.RMSE, f.Identity.Condition, f.Identity.RelativeError[:], f.Identity.Inflation[:], f.Spread, f.Warnings)
}
