package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

func sum(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:])
}

// micros is a time of a row in µs since 1970.
func micros(v any) int64 {
	t, _ := v.(time.Time)
	return t.UnixMicro()
}

// text is a value of a row as text, "" for NULL.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
