package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferlake/inferlake/aggregate"
)

var sampleWindows = []*aggregate.Table{aggregate.EngineWindows, aggregate.GPUWindows, aggregate.NodeWindows, aggregate.KubeWindows}

// oracleSamples takes the windows of series apart into a row a gauge or counter, as the oracle has them.
func oracleSamples() string {
	var queries []string
	for _, t := range sampleWindows {
		for _, c := range t.Columns {
			if gauge, ok := strings.CutSuffix(c.Name, "_value_ns"); ok {
				queries = append(queries, oracleGauge(t, gauge))
			}
			if counter, ok := strings.CutSuffix(c.Name, "_increase"); ok {
				queries = append(queries, oracleCounter(t, counter))
			}
		}
	}
	return strings.Join(queries, " UNION ALL ")
}

func oracleGauge(t *aggregate.Table, gauge string) string {
	value, observed, least := "sum("+gauge+"_value_ns)", "sum("+gauge+"_observed_ns)", "min("+gauge+"_min)"
	return lines(append(oracleSeries(t), "'"+gauge+"'", value, observed, least, "max("+gauge+"_max)", "NULL"),
		fmt.Sprintf("%s HAVING %s <> 0 OR %s <> 0 OR %s IS NOT NULL", fromSeries(t), value, observed, least))
}

func oracleCounter(t *aggregate.Table, counter string) string {
	increase := "sum(" + counter + "_increase)"
	return lines(append(oracleSeries(t), "'"+counter+"_total'", "NULL", "NULL", "NULL", "NULL", increase),
		fmt.Sprintf("%s HAVING %s IS NOT NULL", fromSeries(t), increase))
}

func oracleSampleCounts() string {
	var queries []string
	for _, t := range sampleWindows {
		queries = append(queries, lines(append(oracleSeries(t), "sum(samples)"), fromSeries(t)+" HAVING sum(samples) <> 0"))
	}
	return strings.Join(queries, " UNION ALL ")
}

// oracleSeries are the dimensions of all kinds; those that a kind has not are unknown.
func oracleSeries(t *aggregate.Table) []string {
	columns := []string{"epoch_us(window_start)", "'" + strings.TrimSuffix(t.Name, "_windows") + "'"}
	for _, dim := range fields("instance dp_index gpu node namespace deployment pod model model_version") {
		if !slices.ContainsFunc(t.Columns, func(c aggregate.Column) bool { return c.Name == dim }) {
			dim = "NULL"
		}
		columns = append(columns, dim)
	}
	return columns
}

func fromSeries(t *aggregate.Table) string {
	var dims []string
	for _, dim := range oracleSeries(t)[2:] {
		if dim != "NULL" {
			dims = append(dims, dim)
		}
	}
	return fmt.Sprintf("FROM v1.%s_window_deltas WHERE level_seconds = 10 GROUP BY window_start, %s",
		strings.TrimSuffix(t.Name, "_windows"), strings.Join(dims, ", "))
}
