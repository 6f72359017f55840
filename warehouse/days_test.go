package warehouse_test

import (
	"database/sql"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	text "github.com/inferlake/inferlake/sql"
)

// What days cost adds up to what their range costs, to the picodollar, in any time zone, over the days on which its clocks
// jump: of random instances, prices that change in the middle of a quarter of an hour, and random charges.
func TestDaysAddUp(t *testing.T) {
	for i, c := range []struct{ zone, jump string }{
		{"UTC", "2026-06-15"}, {"Asia/Kolkata", "2026-06-15"}, {"Asia/Kathmandu", "2026-06-15"}, {"America/St_Johns", "2026-03-08"},
		{"America/New_York", "2026-11-01"}, {"Europe/Berlin", "2026-03-29"}, {"Europe/Berlin", "2026-10-25"}, {"Australia/Lord_Howe", "2026-04-05"},
		{"Pacific/Apia", "2026-06-15"}, {"Africa/Casablanca", "2026-02-15"}, {"Africa/Cairo", "2026-04-24"}, {"Pacific/Chatham", "2026-09-27"},
	} {
		t.Run(c.zone+" "+c.jump, func(t *testing.T) {
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			jump, _ := time.Parse(time.DateOnly, c.jump)
			midnight := func(day int) time.Time {
				return time.Date(jump.Year(), jump.Month(), jump.Day()+day, 0, 0, 0, 0, zone).UTC()
			}
			db, days := openViews(t), 3
			charge(t, db, rand.New(rand.NewPCG(1, uint64(i))), midnight(-1), midnight(days-1))
			whole, sum := statementOf(t, db, midnight(-1), midnight(days-1)), map[string]*big.Rat{}
			for day := range days {
				for line, usd := range statementOf(t, db, midnight(day-1), midnight(day)) {
					sum[line] = new(big.Rat).Add(orZero(sum[line]), usd)
				}
			}
			if len(whole) < 8 || len(sum) != len(whole) {
				t.Errorf("%d lines of days, %d of their range", len(sum), len(whole))
			}
			for line, usd := range whole {
				if orZero(sum[line]).Cmp(usd) != 0 {
					t.Errorf("%s: days cost %s, the range %s", line, orZero(sum[line]).FloatString(12), usd.FloatString(12))
				}
			}
		})
	}
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// statementOf is what a statement charges, by group and state, and its closing; its checks must hold.
func statementOf(t *testing.T, db *sql.DB, from, to time.Time) map[string]*big.Rat {
	t.Helper()
	report, err := text.Find("cost_statement")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query("SELECT section || coalesce(' ' || item, '') || coalesce(' ' || state, ''), usd::VARCHAR, difference::VARCHAR FROM ("+report.Query[:len(report.Query)-2]+")",
		sql.Named("from", from), sql.Named("to", to), sql.Named("by", "tenant"), sql.Named("book", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	lines := map[string]*big.Rat{}
	for rows.Next() {
		var line string
		var usd, difference sql.NullString
		if err := rows.Scan(&line, &usd, &difference); err != nil {
			t.Fatal(err)
		}
		if difference.Valid && ratOf(t, difference.String).Sign() != 0 {
			t.Errorf("%v to %v: %s is off by %s", from, to, line, difference.String)
		}
		if usd.Valid {
			lines[line] = ratOf(t, usd.String)
		}
	}
	return lines
}

func ratOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// charge makes up instances, prices, and what their time went to.
func charge(t *testing.T, db *sql.DB, r *rand.Rand, from, to time.Time) {
	t.Helper()
	stamp := func(at time.Time) string { return at.UTC().Format("'2006-01-02 15:04:05'") }
	var instances, allocations, charges []string
	for i := range 3 {
		for at, state := range map[time.Time]string{from.Add(-time.Hour): "ready", to.Add(time.Hour): "stopped"} {
			instances = append(instances, fmt.Sprintf("('i%[1]d', 'b', %[2]s, '%[3]s', %[1]d, 'h', 'engine', 1)", i, stamp(at), state))
		}
		for q := from; q.Before(to); q = q.Add(15 * time.Minute) {
			if r.IntN(3) > 0 {
				continue
			}
			const held = int64(15 * time.Minute)
			used, startup, lost := r.Int64N(held/2), r.Int64N(held/4), r.Int64N(1e9)
			idle := r.Int64N(held - used - startup - lost)
			allocations = append(allocations, fmt.Sprintf("(%s, 'i%d', 0, 'b', %d, %d, %d, %d, %d, %d, %d, %s, 1)",
				stamp(q), i, i*1_000_000, held, startup, used+lost, idle, held-startup-used-lost-idle, lost, stamp(q.Add(15*time.Minute))))
			a := r.Int64N(used + 1)
			b := r.Int64N(used - a + 1)
			charges = append(charges, fmt.Sprintf("(%[1]s, 'i%[2]d', 0, 'b', 7, 0, %[3]d, %[3]d, 0, %[3]d, %[4]d, 1), (%[1]s, 'i%[2]d', 0, 'b', 8, %[5]d, 0, %[5]d, %[6]d, %[7]d, 0, 1)",
				stamp(q), i, a, b, a+b, used-a-b, used))
		}
	}
	exec(t, db, fmt.Sprintf("INSERT INTO prices (gpu_type, valid_from, valid_to, usd_per_hour) VALUES ('h', '2020-01-01', %[1]s, 2.951234567891), ('h', %[1]s, NULL, 3.17)", stamp(from.Add(30*time.Hour+7*time.Minute))))
	exec(t, db, `INSERT INTO instance_events (instance, boot, "at", state, gpu_count, gpu_type, role, commit) VALUES `+strings.Join(instances, ", "))
	exec(t, db, `INSERT INTO allocations (quarter, instance, dp_index, boot, gpus_ppm, held_ns, startup_ns, busy_ns, idle_ns, down_ns, unattributed_ns, until, commit) VALUES `+
		strings.Join(allocations, ", "))
	exec(t, db, `INSERT INTO charges (quarter, instance, dp_index, boot, tenant, prefill_from_ns, prefill_ns, cached_from_ns, cached_ns, decode_from_ns, decode_ns, commit) VALUES `+
		strings.Join(charges, ", "))
}
