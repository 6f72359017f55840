package aggregate

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlake/inferlake/stream"
)

var rewrite = flag.Bool("rewrite", false, "write the expected rows anew")

const casesFile = "testdata/cases.txt"

// TestFoldCases runs testdata/cases.txt: events in, rows out. A case is a paragraph:
//
//	# what it is about
//	SECONDS KIND [ID] field=value …   an event; a request's KIND is its phase and ID its request_id. Times of marks are
//	                                  seconds too, and durations are like 250ms. Unless told otherwise the event is
//	                                  of instance i, boot b and role engine, and is sent when it happens.
//	tick SECONDS                      time goes on without a record
//	flush | restart                   all windows are written | the state goes through a snapshot
//	show TABLE column …               what the table holds then, windows summed; "show counts" is the status
//
// What is shown follows; -rewrite writes it anew. Seconds count from 2026-01-01.
func TestFoldCases(t *testing.T) {
	want, err := os.ReadFile(casesFile)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range strings.Split(strings.TrimSpace(string(want)), "\n\n") {
		got = append(got, runCase(t, c))
	}
	out := strings.Join(got, "\n\n") + "\n"
	if *rewrite {
		if err := os.WriteFile(casesFile, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, c := range strings.Split(strings.TrimSpace(string(want)), "\n\n") {
		if got[i] != c {
			t.Errorf("differs (-rewrite writes it anew); got\n%s\nwant\n%s", got[i], c)
		}
	}
}

var caseStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// caseRun is one case under way.
type caseRun struct {
	t      *testing.T
	fold   *Fold
	offset int64
	tables map[string]map[string]map[string]any // rows by table and key
}

func runCase(t *testing.T, text string) string {
	r := &caseRun{t: t, fold: NewFold(testLog, Rules{}, memory.NewGoAllocator()), tables: map[string]map[string]map[string]any{}}
	defer func() { r.fold.Close() }()
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "  ") {
			continue // shown
		}
		out = append(out, line)
		if words := strings.Fields(line); words[0] != "#" {
			out = append(out, r.line(words)...)
		}
	}
	return strings.Join(out, "\n")
}

func (r *caseRun) line(words []string) (shown []string) {
	switch words[0] {
	case "tick":
		r.fold.Tick(stream.Tick{At: r.seconds(words[1])})
	case "flush":
		r.fold.Tick(stream.Tick{Flush: true})
	case "restart":
		r.restart()
	case "show":
		return r.show(words[1], words[2:])
	default:
		r.event(words)
	}
	return nil
}

func (r *caseRun) restart() {
	r.take()
	snapshot := r.fold.Snapshot(nil)
	r.fold.Close()
	r.fold = NewFold(testLog, Rules{}, memory.NewGoAllocator())
	if err := r.fold.Restore(snapshot); err != nil {
		r.t.Fatal(err)
	}
}

// event folds one event, as a record of its own.
func (r *caseRun) event(words []string) {
	at, kind := r.seconds(words[0]), stream.KindRequest
	for _, k := range stream.Kinds {
		if k.Name == words[1] {
			kind = k.Kind
		}
	}
	var e stream.Event
	e.Reset(kind)
	e.SetInt(stream.EventTimeUnixNano, at)
	for _, pair := range []string{"instance=i", "boot=b", "role=engine"} {
		r.set(&e, pair)
	}
	sent := at
	if kind == stream.KindRequest {
		r.set(&e, "phase="+words[1])
	}
	for i, pair := range words[2:] {
		switch name, value, isPair := strings.Cut(pair, "="); {
		case name == "sent":
			sent = r.seconds(value)
		case i == 0 && !isPair:
			r.set(&e, "request_id="+pair)
		default:
			r.set(&e, pair)
		}
	}
	if why := stream.Validate(&e, true); why != stream.Accepted {
		r.t.Fatalf("%s: %s", strings.Join(words, " "), why)
	}
	r.fold.Begin(r.offset, sent, false)
	r.fold.Apply(&e, stream.Position{Offset: r.offset})
	r.offset++
}

// set sets a field by its name.
func (r *caseRun) set(e *stream.Event, pair string) {
	name, value, _ := strings.Cut(pair, "=")
	for _, f := range append(stream.FieldsOf(e.Kind), stream.FieldsOf(stream.Envelope)...) {
		info := &stream.Fields[f]
		if info.Name != name {
			continue
		}
		switch info.Type {
		case stream.Text:
			e.SetText(f, value)
		case stream.Enum:
			v, ok := info.Enum.Value(value)
			if !ok {
				r.t.Fatalf("%s has no value %q", name, value)
			}
			e.SetInt(f, v)
		case stream.Time:
			e.SetInt(f, r.seconds(value))
		default:
			e.SetInt(f, r.number(value))
		}
		return
	}
	r.t.Fatalf("there is no field %s", name)
}

func (r *caseRun) seconds(text string) int64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.t.Fatal(err)
	}
	return caseStart + int64(v*1e6)*1000
}

func (r *caseRun) number(text string) int64 {
	if d, err := time.ParseDuration(text); err == nil && text != "0" {
		return d.Nanoseconds()
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// take adds a cut's rows to the tables, as the warehouse would.
func (r *caseRun) take() {
	delta := r.fold.Cut()
	defer delta.Release()
	for _, id := range delta.Replaced {
		delete(r.tables["requests"], fmt.Sprint(id.Offset, " ", id.Index))
	}
	for _, rows := range delta.Rows {
		text, err := rows.Batch.MarshalJSON()
		if err != nil {
			r.t.Fatal(err)
		}
		var list []map[string]any
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&list); err != nil {
			r.t.Fatal(err)
		}
		for _, row := range list {
			r.add(rows.Table, row)
		}
	}
}

// add files a row under its key; a window that is there already gets the sum.
func (r *caseRun) add(table *Table, row map[string]any) {
	if r.tables[table.Name] == nil {
		r.tables[table.Name] = map[string]map[string]any{}
	}
	key := fmt.Sprint(row["offset"], " ", row["idx"])
	if _, window := row["window_start"]; window {
		key = fmt.Sprint(row["window_start"])
		for _, dim := range []string{"role", "instance", "model", "adapter", "request_class", "measure", "gpu", "node", "dp_index"} {
			key += fmt.Sprint(" ", row[dim])
		}
		for name, v := range r.tables[table.Name][key] {
			row[name] = merged(Column{Name: name}.Sum(), v, row[name])
		}
	}
	r.tables[table.Name][key] = row
}

func merged(how string, a, b any) any {
	x, ok1 := a.(json.Number)
	y, ok2 := b.(json.Number)
	switch {
	case !ok1:
		return b
	case !ok2:
		return a
	case how == "sum":
		return json.Number(fmt.Sprint(number64(x) + number64(y)))
	case (how == "min") == (number64(x) < number64(y)):
		return a
	}
	return b
}

// show writes a line a row under a line of names.
func (r *caseRun) show(table string, columns []string) []string {
	if table == "counts" {
		c := r.fold.Status().Counts
		return []string{fmt.Sprintf("  consumed %d = loaded %d + pending %d + duplicate %d; late %d; open %d",
			c.Consumed, c.Loaded, c.Pending, c.Duplicate, c.Late, c.Open)}
	}
	r.take()
	lines := [][]string{columns}
	for _, key := range slices.Sorted(maps.Keys(r.tables[table])) {
		var line []string
		for _, c := range columns {
			v, ok := r.tables[table][key][c]
			if !ok {
				r.t.Fatalf("%s has no column %s", table, c)
			}
			line = append(line, caseCell(c, v))
		}
		lines = append(lines, line)
	}
	return alignedLines(lines)
}

// caseCell writes moments as seconds, durations with their unit, and flags by their names.
func caseCell(column string, v any) string {
	switch {
	case v == nil:
		return "-"
	case strings.HasSuffix(column, "_at") || column == "window_start" || column == "at":
		t, err := time.Parse("2006-01-02T15:04:05.999999999", fmt.Sprint(v))
		if err != nil {
			return err.Error()
		}
		return strconv.FormatFloat(float64(t.UnixNano()-caseStart)/1e9, 'f', -1, 64)
	case column == "flags":
		return strings.Join(flagNames(number64(v)), ",")
	case strings.HasSuffix(column, "_ns"):
		return time.Duration(number64(v)).String()
	}
	return fmt.Sprint(v)
}

func flagNames(flags int64) (names []string) {
	for i, name := range FlagNames {
		if flags>>i&1 != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return []string{"none"}
	}
	return names
}

func alignedLines(lines [][]string) (out []string) {
	for _, line := range lines {
		text := " "
		for i, cell := range line {
			width := 0
			for _, other := range lines {
				width = max(width, len(other[i]))
			}
			text += " " + cell + strings.Repeat(" ", width-len(cell))
		}
		out = append(out, strings.TrimRight(text, " "))
	}
	return out
}
