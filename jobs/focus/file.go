package focus

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"time"
)

// file is what is checked: the names of the columns, and the rows. Row numbers are lines of the file's records, the names' being 1.
type file struct {
	names   []string
	at      map[string]int
	rows    [][]string
	origins map[string][]int // x_OriginId → the rows that are its charges
	splits  map[string][]int // x_OriginId → the rows that split it
}

// read reads a whole file.
func read(r io.Reader) (*file, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord = -1
	names, err := lines.Read()
	if err != nil {
		return nil, fmt.Errorf("cannot read the first line of the FOCUS file: %w", err)
	}
	f := &file{names: names, at: map[string]int{}, origins: map[string][]int{}, splits: map[string][]int{}}
	for i, name := range names {
		f.at[name] = i
	}
	for {
		row, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the FOCUS file: %w", err)
		}
		f.add(row)
	}
}

func (f *file) add(row []string) {
	f.rows = append(f.rows, row)
	n := len(f.rows) - 1
	id := f.get(n, "x_OriginId")
	switch {
	case f.isSplit(n):
		f.splits[id] = append(f.splits[id], n)
	case id != "":
		f.origins[id] = append(f.origins[id], n)
	}
}

// get is a value, "" for none.
func (f *file) get(row int, name string) string {
	i, ok := f.at[name]
	if !ok || i >= len(f.rows[row]) {
		return ""
	}
	return f.rows[row][i]
}

func (f *file) has(name string) bool { _, ok := f.at[name]; return ok }

// isSplit says whether a row splits another one.
func (f *file) isSplit(row int) bool { return f.get(row, "AllocatedMethodId") != "" }

var plainDecimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// number is a value as it is, exactly; nil where there is none, or it is no number.
func (f *file) number(row int, name string) *big.Rat {
	return exact(f.get(row, name))
}

func exact(text string) *big.Rat {
	if !plainDecimal.MatchString(text) {
		return nil
	}
	r, _ := new(big.Rat).SetString(text)
	return r
}

const isoUTC = "2006-01-02T15:04:05Z"

// moment is a value as a time; ok is false where there is none.
func (f *file) moment(row int, name string) (t time.Time, ok bool) {
	t, err := time.Parse(isoUTC, f.get(row, name))
	return t, err == nil
}
