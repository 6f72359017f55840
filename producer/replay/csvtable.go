package replay

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// csvTable reads a CSV file whose columns are found by the names in its first line.
type csvTable struct {
	file    *file
	reader  *csv.Reader
	columns map[string]int
	record  []string
	line    int64
}

func openCSV(f *file, required ...string) (*csvTable, error) {
	t := &csvTable{file: f, reader: csv.NewReader(f), columns: map[string]int{}}
	t.reader.ReuseRecord = true
	header, err := t.reader.Read()
	if err != nil {
		return nil, f.errorf(1, "cannot read the header: %w", err)
	}
	for i, name := range header {
		t.columns[strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))] = i
	}
	for _, name := range required {
		if !t.has(name) {
			return nil, f.errorf(1, "no column %q in the header %q", name, strings.Join(header, ","))
		}
	}
	return t, nil
}

func (t *csvTable) has(column string) bool {
	_, ok := t.columns[column]
	return ok
}

// next moves to the next row; false at the end.
func (t *csvTable) next() (bool, error) {
	record, err := t.reader.Read()
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", t.file.name, err)
	}
	line, _ := t.reader.FieldPos(0)
	t.record, t.line = record, int64(line)
	return true, nil
}

// text is the value in a column, "" where the file has no such column.
func (t *csvTable) text(column string) string {
	i, ok := t.columns[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(t.record[i])
}

// count is a whole number, not negative.
func (t *csvTable) count(column string) (int64, error) {
	v, err := strconv.ParseInt(t.text(column), 10, 64)
	if err != nil || v < 0 || v > maxTokens {
		return 0, t.file.errorf(t.line, "%s %q: must be a whole number, not negative", column, t.text(column))
	}
	return v, nil
}

// number is a number, as of seconds, within bounds.
func (t *csvTable) number(column string) (float64, error) {
	v, err := strconv.ParseFloat(t.text(column), 64)
	if err != nil || !(math.Abs(v) < maxSeconds) {
		return 0, t.file.errorf(t.line, "%s %q: must be a number", column, t.text(column))
	}
	return v, nil
}

// nanos is a number of seconds, in ns.
func (t *csvTable) nanos(column string) (int64, error) {
	v, err := t.number(column)
	return nanos(v), err
}

// nanos turns seconds into ns, rounded.
func nanos(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }
