package verdict

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
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

// sources are where a fit can come from, the better one first; a kind of instance whose passes are told is not fitted to marks. Marks do
// not say when passes were: each round places them by the fit of the one before.
var sources = []struct {
	name, moments string
	rounds        int
}{{"steps", "pass_moments", 1}, {"marks", "mark_moments", 4}}

// FitInstances fits the time of a pass for each kind of instance that has no fit of late, and keeps what it finds. It returns how
// many were fitted. A kind that cannot be fitted yet is left for the next time.
func FitInstances(ctx context.Context, s Store, o FitOptions) (fitted int, err error) {
	for _, source := range sources {
		due, err := candidatesOf(ctx, s, source.name, o)
		if err != nil {
			return fitted, err
		}
		var parts []*part
		for round := 0; round < source.rounds && due.kinds != ""; round++ {
			query := sql.Statement(source.moments, "guesses", guesses(parts), "candidates", due.kinds, "from", strconv.FormatInt(due.from, 10))
			rows, err := s.Rows(ctx, query, map[string]any{"span": orDay(o.Span).Microseconds()})
			if err != nil {
				return fitted, fmt.Errorf("cannot read what fits are made of (%s): %w", source.name, err)
			}
			if parts = fitKinds(rows); len(parts) == 0 {
				break
			}
		}
		for _, p := range parts {
			if err := s.Put(ctx, "insert_fit", p.arguments(source.name)...); err != nil {
				return fitted, fmt.Errorf("cannot keep the fit of %v: %w", p.key[0], err)
			}
			fitted++
		}
	}
	return fitted, nil
}

// candidates are the kinds of instances that may be due for a fit.
type candidates struct {
	kinds string // a query that lists them; "": none
	from  int64  // µs since 1970: nothing before it goes into their fits
}

// candidatesOf asks for the kinds that may be due. A first fit may be of what ended long ago, so its kind is looked for everywhere.
func candidatesOf(ctx context.Context, s Store, source string, o FitOptions) (c candidates, err error) {
	rows, err := s.Rows(ctx, sql.Statement("fit_candidates"), map[string]any{"source": source, "every": orDay(o.Every).Microseconds()})
	if err != nil {
		return c, fmt.Errorf("cannot look for instances to fit (%s): %w", source, err)
	}
	c.from = math.MaxInt64
	var listed []string
	for _, row := range rows {
		due, _ := row["due"].(int64) // 0 for the first
		c.from = min(c.from, max(0, due-orDay(o.Span).Microseconds()))
		pairs := []string{"due", literal(row["due"])}
		for _, name := range kindColumns {
			pairs = append(pairs, name, literal(row[name]))
		}
		listed = append(listed, sql.Statement("candidate", pairs...))
	}
	c.kinds = strings.Join(listed, "\nUNION ALL\n")
	return c, nil
}

// kindColumns say what kind an instance is of.
var kindColumns = [6]string{"model", "model_version", "gpu_type", "tensor_parallel", "engine", "engine_version"}

// fitKinds fits each kind of instance that can be fitted.
func fitKinds(rows []map[string]any) (parts []*part) {
	for _, p := range byKind(rows) {
		var err error
		if p.fit, err = FitPasses(p.blocks); err == nil {
			parts = append(parts, p)
		}
	}
	return parts
}

// guesses are fits as a query that lists them.
func guesses(parts []*part) string {
	all := sql.Statement("no_guesses")
	for _, p := range parts {
		var pairs []string
		for i, name := range kindColumns {
			pairs = append(pairs, name, literal(p.key[i]))
		}
		for i, name := range []string{"a", "bp", "bx", "bd", "bk"} {
			pairs = append(pairs, name, strconv.FormatFloat(p.fit.Coefficients[i], 'g', -1, 64))
		}
		all += "\nUNION ALL\n" + sql.Statement("guess", pairs...)
	}
	return all
}

func literal(v any) string {
	switch v := v.(type) {
	case string:
		return sql.Quote(v)
	case nil:
		return "NULL"
	}
	return fmt.Sprint(v)
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
	fit          PassFit
}

// byKind parts rows, which come sorted.
func byKind(rows []map[string]any) (parts []*part) {
	for _, row := range rows {
		var key [6]any
		for i, name := range kindColumns {
			key[i] = row[name]
		}
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
func (p *part) arguments(source string) []any {
	f := &p.fit
	args := append([]any(nil), p.key[:]...)
	args = append(args, source, p.since, p.until, f.Runs, f.Passes)
	for _, c := range f.Coefficients {
		args = append(args, int64(math.Round(c*1e6))) // fs
	}
	return append(args, f.RMSE, f.Identity.Condition, f.Identity.RelativeError[:], f.Identity.Inflation[:], f.Spread, f.Warnings)
}
