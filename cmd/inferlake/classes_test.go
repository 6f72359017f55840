package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inferlake/inferlake/cmd/inferlake/proof"
)

// The load names more request classes than windows admit, and the oracle does not know which of them are admitted. So
// the oracle's windows are compared as sums over the classes; only the refold holds what is booked as __other__ to account.
const (
	classColumn = 6 // of request_windows and request_sketches, from 0
	sketchDims  = 8 // columns before a sketch's counts: the window's and the measure
)

// overClasses replaces the windows by their sums over the request classes.
func overClasses(t *testing.T, rows proof.Rows) {
	for table, dims := range map[string]int{"request_windows": classColumn + 1, "request_sketches": sketchDims} {
		sums := map[string]map[string]int64{} // by dimensions: column or bucket, and its sum
		for _, row := range rows[table] {
			columns := strings.Split(row, "\t")
			key := strings.Join(slices.Delete(slices.Clone(columns[:dims]), classColumn, classColumn+1), "\t")
			if sums[key] == nil {
				sums[key] = map[string]int64{}
			}
			addCounts(t, sums[key], columns[dims:])
		}
		rows[table] = nil
		for key, counts := range sums {
			if line := countsLine(counts); line != "" {
				rows[table] = append(rows[table], key+line)
			}
		}
	}
}

// addCounts adds the columns; two lists at the end are buckets and what is in them.
func addCounts(t *testing.T, to map[string]int64, columns []string) {
	whole := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err, columns)
		}
		return n
	}
	items := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[],- ", r) })
	}
	if last := len(columns) - 1; strings.HasPrefix(columns[last], "[") {
		counts := items(columns[last])
		for i, bucket := range items(columns[last-1]) {
			to["bucket "+bucket] += whole(counts[i])
		}
		columns = columns[:last-1]
	}
	for i, text := range columns {
		to[fmt.Sprintf("%02d", i)] += whole(text)
	}
}

// countsLine is what is not 0; "" when nothing is.
func countsLine(counts map[string]int64) (line string) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] != 0 {
			line += fmt.Sprint("\t", name, "=", counts[name])
		}
	}
	return line
}
