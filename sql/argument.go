package sql

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Argument is a value for a parameter of a report, to be bound by name and never spliced.
type Argument struct {
	Name  string
	Value any // time.Time in UTC, float64, int64, string or nil
}

// Arguments gives every parameter of the report its value: as given, else its default, else NULL.
func (r Report) Arguments(given map[string]string) ([]Argument, error) {
	for name := range given {
		if !slices.ContainsFunc(r.Params, func(p Param) bool { return p.Name == name }) {
			return nil, fmt.Errorf("the report %s has no parameter %s", r.Name, name)
		}
	}
	args := make([]Argument, len(r.Params))
	for i, p := range r.Params {
		text, ok := given[p.Name]
		if !ok {
			text = p.Default
		}
		value, err := p.value(text)
		if err != nil {
			return nil, err
		}
		args[i] = Argument{p.Name, value}
	}
	return args, nil
}

// value reads a value in the parameter's type; an empty text is NULL.
func (p Param) value(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	if len(p.Values) > 0 && !slices.Contains(p.Values, text) {
		return nil, fmt.Errorf("%s cannot be %q: choose one of %s", p.Name, text, strings.Join(p.Values, ", "))
	}
	value, err := p.parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be %q: it takes %s", p.Name, text, typeHelp[p.Type])
	}
	return value, nil
}

func (p Param) parse(text string) (any, error) {
	switch p.Type {
	case "TIMESTAMP":
		return ParseTime(text)
	case "DOUBLE":
		return parseNumber(text)
	case "BIGINT":
		return strconv.ParseInt(text, 10, 64)
	}
	return text, nil
}

func parseNumber(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return 0, fmt.Errorf("no number: %q", text)
	}
	return f, err
}

var typeHelp = map[string]string{
	"TIMESTAMP": "a time like 2026-01-31, 2026-01-31T12:00:00Z or 2026-01-31 12:00:00 (UTC)",
	"DOUBLE":    "a number",
	"BIGINT":    "a whole number",
}

var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04", time.DateOnly}

// ParseTime reads a time as a report's parameters have them; without a zone it is UTC.
func ParseTime(text string) (time.Time, error) {
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("no time: %q", text)
}
