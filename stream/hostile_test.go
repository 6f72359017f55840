package stream

import (
	"runtime"
	"strings"
	"testing"
)

// Whatever a record claims, reading it takes no more than a small multiple of its bytes.
func TestHostileRecords(t *testing.T) {
	const mib = 1 << 20
	rows := strings.Repeat("\x10", 30000)
	for _, c := range []struct{ name, content, value string }{
		{"rows that are not there", ContentColumns, "\x08\xff\xff\x07\x1a\x01\x10"},
		{"empty texts", ContentColumns, strings.Repeat("\x12\x00", mib/2)},
		{"empty texts, many rows", ContentColumns, "\x08\xb0\xea\x01\x1a\xb0\xea\x01" + rows + strings.Repeat("\x12\x00", mib/2)},
		{"columns of unknown fields", ContentColumns, "\x08\x01" + strings.Repeat("\x22\x00", mib/2)},
		{"body in pieces", ContentColumns, strings.Repeat("\x18\x10", mib/2)},
		{"list without end", ContentProtobuf, "\x82\x01\x84\x80\x40\xc2\x04\x80\x80\x40" + strings.Repeat("\x01", mib)},
		{"groups in groups", ContentProtobuf, strings.Repeat("\xfb\x07", mib/2)},
		{"arrays in arrays", ContentJSON, strings.Repeat("[", mib)},
		{"objects in objects", ContentJSON, strings.Repeat(`{"a":`, mib/5)},
		{"empty objects", ContentJSON, "[" + strings.Repeat("{},", mib/3)},
		{"empty lines", ContentNDJSON, strings.Repeat("\n", mib)},
		{"escapes", ContentJSON, `{"instance":"` + strings.Repeat(`\u0041`, mib/6) + `"}`},
		{"digits", ContentJSON, `{"seq":1` + strings.Repeat("0", mib) + `}`},
		{"exponent", ContentJSON, `{"seq":1e` + strings.Repeat("9", mib) + `}`},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		refused := 0
		(&Decoder{}).Decode(&Record{Value: []byte(c.value), ContentType: c.content}, func(_ int32, _ *Event, why Reason) {
			if why != Accepted {
				refused++
			}
		})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(16*len(c.value)+mib) {
			t.Errorf("%s: %d bytes took %d", c.name, len(c.value), took)
		}
		if refused == 0 {
			t.Errorf("%s: nothing was refused", c.name)
		}
	}
}
