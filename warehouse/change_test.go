package warehouse_test

import (
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	text "github.com/inferlake/inferlake/sql"
)

// side is what a model did in an hour.
type side struct {
	usd                              float64 // an hour
	held, busy, lost                 int64   // ns
	uncached, cached, output         int64   // tokens
	prefill, reading, decode         float64 // ns a token
	prefillNS, readingNS, decodingNS int64
}

func (s *side) complete() *side {
	s.prefillNS, s.readingNS, s.decodingNS = int64(s.prefill*float64(s.uncached)), int64(s.reading*float64(s.cached)), int64(s.decode*float64(s.output))
	s.busy = s.prefillNS + s.readingNS + s.decodingNS + s.lost
	return s
}

func (s *side) tokens() float64 { return float64(s.uncached + s.cached + s.output) }

// cost is what was paid, USD.
func (s *side) cost() float64 { return s.usd * float64(s.held) / 3.6e12 }

func randomSide(r *rand.Rand) *side {
	s := &side{usd: 1 + float64(r.IntN(400))/100, held: 3_600_000_000_000, lost: r.Int64N(1e10), uncached: 1 + r.Int64N(1e6), cached: r.Int64N(1e6) * int64(r.IntN(2)),
		output: 1 + r.Int64N(1e6), prefill: 1e4 + r.Float64()*1e5, reading: r.Float64() * 1e4, decode: 1e5 + r.Float64()*1e6}
	return s.complete()
}

// The parts of a change of price add up to the whole to the picodollar, and those of a model to the logarithm of what it is of the
// price: of random hours of random models, some of which come and go.
func TestCostChangeLeavesNoRest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 8 {
		var models [3][2]*side
		for m := range models {
			for hour := range 2 {
				if m == 0 || r.IntN(4) > 0 {
					models[m][hour] = randomSide(r)
				}
			}
		}
		lines := changes(t, models[:])
		var total, tokens [2]float64
		for _, m := range models {
			for hour, s := range m {
				if s != nil {
					total[hour] += s.cost()
					tokens[hour] += s.tokens()
				}
			}
		}
		was, is := total[0]/tokens[0]*1e6, total[1]/tokens[1]*1e6
		price := lines[" price"]
		if math.Abs(price.usd-(is-was)) > 1e-8 || price.rest != 0 {
			t.Errorf("the price changed by %v, want %v; %v picodollars are in no part", price.usd, is-was, price.rest)
		}
		for m, both := range models {
			name := fmt.Sprint("m", m)
			if both[0] == nil || both[1] == nil {
				continue
			}
			var log float64
			for line, change := range lines {
				if strings.HasPrefix(line, name+" ") {
					log += change.log
				}
			}
			if want := math.Log(both[1].cost() / tokens[1] / (both[0].cost() / tokens[0])); math.Abs(log-want) > 1e-9 {
				t.Errorf("%s: the logarithms of its factors add up to %v, want %v", name, log, want)
			}
		}
	}
}

// Where one thing changes, all of the change is laid on it.
func TestCostChangeFindsTheCause(t *testing.T) {
	base := side{usd: 3, held: 3_600_000_000_000, uncached: 400_000, cached: 100_000, output: 500_000, prefill: 5e4, reading: 2e3, decode: 5e5}
	for factor, change := range map[string]func(*side){
		"rate":          func(s *side) { s.usd *= 1.5 },
		"utilization":   func(s *side) { s.uncached, s.cached, s.output = s.uncached/2, s.cached/2, s.output/2 },
		"unattributed":  func(s *side) { s.lost = 20_000_000_000; s.held += 260_000_000_000 },
		"lengths":       func(s *side) { s.uncached, s.cached, s.output = 640_000, 160_000, 200_000 },
		"cached share":  func(s *side) { s.uncached, s.cached = 100_000, 400_000 },
		"prefill":       func(s *side) { s.prefill *= 2 },
		"cache reading": func(s *side) { s.reading *= 20 },
		"decode":        func(s *side) { s.decode *= 1.2 },
	} {
		was, is := base, base
		change(&is)
		was.complete()
		is.complete()
		lines := changes(t, [][2]*side{{&was, &is}})
		// What changes the seconds of a token changes how long GPUs were busy too: utilization falls as much as that rises.
		got := lines["m0 "+factor].log
		var others float64
		for line, c := range lines {
			if line != "m0 "+factor && line != "m0 utilization" && line != " price" {
				others += math.Abs(c.log)
			}
		}
		if math.Abs(got) < 0.003 || others > 1e-9 {
			t.Errorf("%s changed: %.4f is laid on it, %.4f on others", factor, got, others)
		}
	}
}

// change is a line of the report.
type change struct{ log, usd, rest float64 }

// changes runs the report on models whose hours are given; the price's rest is what the parts miss of it, in picodollars.
func changes(t *testing.T, models [][2]*side) map[string]change {
	t.Helper()
	db := openViews(t)
	for m, both := range models {
		for hour, s := range both {
			if s != nil {
				insertHour(t, db, fmt.Sprint("m", m), 9+hour, s)
			}
		}
	}
	report, err := text.Find("cost_change")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(`SELECT coalesce("group", '') || ' ' || factor, log_change, usd_per_million_tokens::DOUBLE,
		((2 * usd_per_million_tokens - sum(usd_per_million_tokens) OVER ()) * 1000000000000)::DOUBLE FROM (`+strings.TrimSuffix(strings.TrimSpace(report.Query), ";")+")",
		sql.Named("from", "2026-01-01 10:00:00"), sql.Named("to", "2026-01-01 11:00:00"), sql.Named("before_from", nil), sql.Named("before_to", nil), sql.Named("by", "model"))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	lines := map[string]change{}
	for rows.Next() {
		var line string
		var log sql.NullFloat64
		var c change
		if err := rows.Scan(&line, &log, &c.usd, &c.rest); err != nil {
			t.Fatal(err)
		}
		c.log = log.Float64
		lines[line] = c
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func insertHour(t *testing.T, db *sql.DB, model string, hour int, s *side) {
	t.Helper()
	at := func(h int) string { return fmt.Sprintf("'2026-01-01 %02d:00:00'", h) }
	boot := fmt.Sprint("b", hour)
	exec(t, db, fmt.Sprintf("INSERT INTO prices (gpu_type, valid_from, valid_to, usd_per_hour) VALUES ('%[1]s%[2]s', '2025-01-01', NULL, %[3]v)", model, boot, s.usd))
	exec(t, db, fmt.Sprintf(`INSERT INTO instance_events (instance, boot, "at", state, gpu_count, gpu_type, model, role, commit) VALUES
		('%[1]s', '%[2]s', %[3]s, 'ready', 1, '%[1]s%[2]s', '%[1]s', 'engine', 1), ('%[1]s', '%[2]s', %[4]s::TIMESTAMP + INTERVAL 30 MINUTE, 'stopped', 1, '%[1]s%[2]s', '%[1]s', 'engine', 1)`,
		model, boot, at(hour), at(hour+1)))
	exec(t, db, fmt.Sprintf(`INSERT INTO allocations (quarter, instance, dp_index, boot, gpus_ppm, held_ns, startup_ns, busy_ns, idle_ns, down_ns, unattributed_ns, until, commit)
		VALUES (%s, '%s', 0, '%s', 1000000, %d, 0, %d, %d, 0, %d, make_timestamp_ns(epoch_ns(%[1]s::TIMESTAMP) + %[4]d), 1)`, at(hour), model, boot, s.held, s.busy, s.held-s.busy, s.lost))
	exec(t, db, fmt.Sprintf(`INSERT INTO charges (quarter, instance, dp_index, boot, model, requests, uncached_tokens, cached_tokens, output_tokens, prefill_from_ns, prefill_ns, cached_from_ns, cached_ns, decode_from_ns, decode_ns, commit)
		VALUES (%s, '%s', 0, '%s', '%[2]s', 1, %[4]d, %[5]d, %[6]d, 0, %[7]d, 0, %[8]d, 0, %[9]d, 1)`, at(hour), model, boot, s.uncached, s.cached, s.output, s.prefillNS, s.readingNS, s.decodingNS))
}
