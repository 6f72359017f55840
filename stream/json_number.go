package stream

import (
	"math"
	"strconv"
)

// decimal is a number of JSON: digits · 10^exponent. Digits lose nothing; big says that they do not fit.
type decimal struct {
	negative bool
	digits   uint64
	exponent int
	big      bool
}

// isNumber says whether raw is a number as JSON writes them.
func isNumber(raw []byte) bool {
	_, ok := parseDecimal(raw)
	return ok
}

func parseDecimal(raw []byte) (d decimal, ok bool) {
	i := 0
	if i < len(raw) && raw[i] == '-' {
		d.negative = true
		i++
	}
	first := i
	zeros := 0 // held back: they may all be trailing
	i, zeros = d.take(raw, i, zeros)
	if i == first || raw[first] == '0' && i > first+1 {
		return d, false
	}
	if i < len(raw) && raw[i] == '.' {
		point := i + 1
		i, zeros = d.take(raw, point, zeros)
		if i == point {
			return d, false
		}
		d.exponent = point - i
	}
	d.exponent += zeros
	if i < len(raw) && raw[i]|0x20 == 'e' {
		exp, ok := parseExponent(raw[i+1:])
		d.exponent += exp
		return d, ok
	}
	return d, i == len(raw)
}

// take adds digits; zeros are held back until another digit follows.
func (d *decimal) take(raw []byte, i, zeros int) (next, held int) {
	for ; i < len(raw) && raw[i]-'0' <= 9; i++ {
		if raw[i] == '0' {
			if d.digits != 0 {
				zeros++
			}
			continue
		}
		for ; zeros > 0 && !d.big; zeros-- {
			d.push(0)
		}
		zeros = 0
		d.push(uint64(raw[i] - '0'))
	}
	return i, zeros
}

func (d *decimal) push(digit uint64) {
	if d.digits > (math.MaxUint64-digit)/10 {
		d.big = true
		return
	}
	d.digits = d.digits*10 + digit
}

const exponentCap = 1 << 24 // beyond any exponent that matters, and far from overflow

func parseExponent(raw []byte) (exp int, ok bool) {
	negative := false
	if len(raw) > 0 && (raw[0] == '+' || raw[0] == '-') {
		negative = raw[0] == '-'
		raw = raw[1:]
	}
	for _, c := range raw {
		if c -= '0'; c > 9 {
			return 0, false
		}
		exp = min(exp*10+int(c), exponentCap)
	}
	if negative {
		exp = -exp
	}
	return exp, len(raw) > 0
}

// whole returns the number's magnitude; ok is false when it is not whole or does not fit in 64 bits.
func (d *decimal) whole() (v uint64, ok bool) {
	if d.digits == 0 {
		return 0, !d.big
	}
	if d.big || d.exponent < 0 || d.exponent > 19 {
		return 0, false
	}
	v = d.digits
	for range d.exponent {
		if v > math.MaxUint64/10 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

// parseInt reads a whole number that fits in an int64, exactly; 12.0 and 1e3 are whole.
func parseInt(raw []byte) (v int64, why Reason) {
	if v, ok := shortInt(raw); ok {
		return v, Accepted
	}
	d, ok := parseDecimal(raw)
	if !ok {
		return 0, notANumber(raw)
	}
	u, ok := d.whole()
	switch {
	case !ok || u > 1<<63 || u == 1<<63 && !d.negative:
		return 0, ReasonRange
	case d.negative:
		return -int64(u), Accepted
	}
	return int64(u), Accepted
}

// shortInt reads digits alone, so few that they fit.
func shortInt(raw []byte) (v int64, ok bool) {
	if len(raw) == 0 || len(raw) > 18 || raw[0] == '0' && len(raw) > 1 {
		return 0, false
	}
	for _, c := range raw {
		if c -= '0'; c > 9 {
			return 0, false
		}
		v = v*10 + int64(c)
	}
	return v, true
}

// parseBits reads a whole number that fits in 64 bits.
func parseBits(raw []byte) (v int64, why Reason) {
	d, ok := parseDecimal(raw)
	if !ok {
		return 0, notANumber(raw)
	}
	u, ok := d.whole()
	if !ok || d.negative && u > 0 {
		return 0, ReasonRange
	}
	return int64(u), Accepted
}

// parseRatio reads a ratio into millionths.
func parseRatio(raw []byte) (v int64, why Reason) {
	d, ok := parseDecimal(raw)
	if !ok {
		return 0, notANumber(raw)
	}
	if !d.big && d.digits < 1<<53 && d.exponent <= 0 && d.exponent >= -22 && !d.negative {
		return millionths(float64(d.digits) / powersOfTen[-d.exponent]), Accepted
	}
	r, err := strconv.ParseFloat(alias(raw), 64)
	if err != nil {
		return 0, ReasonRange
	}
	return millionths(r), Accepted
}

// powersOfTen are those that a float64 holds exactly.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// notANumber tells numbers that JSON cannot write from what is no number at all.
func notANumber(raw []byte) Reason {
	switch string(raw) {
	case "NaN", "Infinity", "-Infinity":
		return ReasonRange
	}
	return ReasonMalformed
}
