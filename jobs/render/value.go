package render

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// isNumber reports whether a value is written as a bare number.
func isNumber(v any) bool {
	switch v.(type) {
	case int, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, *big.Int, json.Number:
		return true
	}
	_, decimal := v.(interface{ Float64() float64 })
	return decimal
}

// exact writes a value as the query gave it; ok is false for NULL and for what is not a number but claims to be.
func exact(v any) (text string, ok bool) {
	switch v := v.(type) {
	case nil:
		return "", false
	case float32:
		return exact(float64(v))
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), !math.IsNaN(v) && !math.IsInf(v, 0)
	case time.Time:
		return v.UTC().Format("2006-01-02T15:04:05.999999999Z"), true
	case []any:
		return joined(v), true
	case []byte:
		return string(v), true
	}
	return fmt.Sprint(v), true
}

func joined(list []any) string {
	items := make([]string, len(list))
	for i, v := range list {
		items[i], _ = exact(v)
	}
	return strings.Join(items, ", ")
}

// float is a number's value for display.
func float(v any) (float64, bool) {
	if d, ok := v.(interface{ Float64() float64 }); ok {
		return d.Float64(), true
	}
	if !isNumber(v) {
		return 0, false
	}
	text, ok := exact(v)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}
