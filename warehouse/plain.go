package warehouse

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// plain turns a value of the driver into one of the types that Result names.
func plain(v any) any {
	switch v := v.(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case float32:
		return float64(v)
	case *big.Int:
		if v.IsInt64() {
			return v.Int64()
		}
		return v
	case duckdb.Decimal:
		return decimal(v)
	case duckdb.UUID:
		return v.String()
	case time.Time:
		return v.UTC()
	}
	return plainNested(v)
}

func plainNested(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
		return v
	case duckdb.Interval:
		return interval(v)
	case nil, bool, int64, uint64, float64, string, []byte:
		return v
	}
	return fmt.Sprint(v)
}

// decimal writes a decimal with all its digits.
func decimal(d duckdb.Decimal) json.Number {
	sign, digits := "", d.Value.String()
	if d.Value.Sign() < 0 {
		sign, digits = "-", digits[1:]
	}
	if d.Scale == 0 {
		return json.Number(sign + digits)
	}
	if missing := int(d.Scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - int(d.Scale)
	return json.Number(sign + digits[:point] + "." + digits[point:])
}

// interval writes an interval of months, days and time.
func interval(v duckdb.Interval) string {
	return fmt.Sprintf("%d months %d days %s", v.Months, v.Days, time.Duration(v.Micros)*time.Microsecond)
}
