package chart

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		kind, unit string
		values     []float64
		want       string
	}{
		{"bars", "", []float64{3, 17}, "0 5 10 15 20"},
		{"bars", "", []float64{1, 1}, "0 1"},
		{"bars", "", []float64{0, 0}, "0 1"},
		{"bars", "", []float64{123456, 7}, "0 50k 100k 150k"},
		{"bars", "", []float64{2.5e6, 7e6}, "0 2M 4M 6M 8M"},
		{"bars", "%", []float64{62, 71.5}, "0 50 100"},
		{"bars", "%", []float64{-8, 12}, "-10 -5 0 5 10 15"},
		{"lines", "", []float64{1780.5, 1980}, "1750 1800 1850 1900 1950 2000"},
		{"lines", "", []float64{1979, 1980}, "0 500 1000 1500 2000"},
		{"lines", "", []float64{100.5, 1980}, "0 500 1000 1500 2000"},
		{"band", "", []float64{0.03, 4}, "0.02 0.1 1 5"},
		{"band", "", []float64{0, 4}, "0 1 2 3 4"},
		{"lines", "", []float64{math.NaN(), math.NaN()}, "0 1"},
	} {
		chart := Chart{Kind: c.kind, Unit: c.unit, X: Axis{Labels: []string{"a", "b"}}, Series: []Series{{Values: c.values}}}
		s := chart.linear()
		if chart.Logarithmic() {
			s = chart.logarithmic()
		}
		var got []string
		for _, v := range s.ticks {
			got = append(got, tick(v))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s of %v: ticks %s, want %s", c.kind, c.values, text, c.want)
		}
		for _, v := range c.values {
			if at := s.at(v); at < -1e-9 || at > 1+1e-9 {
				t.Errorf("%s of %v: %g lies at %g, outside of the plot", c.kind, c.values, v, at)
			}
		}
	}
}

func TestTimeTicks(t *testing.T) {
	start := time.Date(2026, 1, 31, 22, 10, 0, 0, time.UTC)
	for _, c := range []struct {
		length time.Duration
		want   string
	}{
		{30 * time.Second, "22:10:00 22:10:10 22:10:20 22:10:30"},
		{time.Hour, "22:15 22:30 22:45 23:00"},
		{4 * time.Hour, "23:00 Feb 1 01:00 02:00"},
		{24 * time.Hour, "Feb 1 06:00 12:00 18:00"},
		{30 * 24 * time.Hour, "Feb 5 Feb 12 Feb 19 Feb 26"},
	} {
		ticks, step := timeTicks(float64(start.Unix()), float64(start.Add(c.length).Unix()))
		var got []string
		for _, at := range ticks {
			got = append(got, clock(at, step))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v: ticks %s, want %s", c.length, text, c.want)
		}
	}
}

// What is not known, and a window that is missing, is a gap; a point alone is a dot.
func TestGaps(t *testing.T) {
	nan := math.NaN()
	c := Chart{Kind: "lines", X: Axis{Labels: make([]string, 6), At: []float64{0, 10, 20, 30, 50, 60}, Time: true}}
	y := scale{high: 10}
	for want, values := range map[string][]float64{
		"M0 1000L166.67 900M500 700h0M833.33 600h0":      {0, 1, nan, 3, 4, nan},
		"M0 1000h0M333.33 800L500 700M833.33 600L1000 0": {0, nan, 2, 3, 4, 10},
		"": {nan, nan, nan, nan, nan, nan},
	} {
		if got := curve(values, c.spanOf(), y); got != want {
			t.Errorf("%v is drawn %s, want %s", values, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{"llama": "llama", "GPU-4728f2afbc279bb4-3": "GPU-4…bb4-3", "日本語日本語日本語日本語": "日本語日本…本語日本語"} {
		if got := short(name, 11); got != want {
			t.Errorf("%s is cut to %s, want %s", name, got, want)
		}
	}
}
