package render

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
)

// writeCSV writes a header line of column names and a line a row. NULL is an empty field, the empty text is "".
// Texts that a spreadsheet would take for a formula get an apostrophe before them.
func writeCSV(out io.Writer, r Table, _ Options) error {
	w := bufio.NewWriter(out)
	for i, c := range r.Columns {
		writeField(w, i, field(c.Name))
	}
	w.WriteString("\r\n")
	for _, row := range r.Rows {
		for i, v := range row {
			writeField(w, i, csvValue(v))
		}
		w.WriteString("\r\n")
	}
	return w.Flush()
}

func writeField(w *bufio.Writer, i int, text string) {
	if i > 0 {
		w.WriteByte(',')
	}
	w.WriteString(text)
}

func csvValue(v any) string {
	text, ok := exact(v)
	_, amount := v.(json.Number) // a DECIMAL, which may be negative
	switch {
	case !ok:
		return ""
	case amount, isNumber(v):
		return text
	}
	return field(text)
}

// field quotes a text where it needs it.
func field(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		text = "'" + text
	}
	if text == "" || strings.ContainsAny(text, ",\"\r\n'") || text != strings.TrimSpace(text) {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}
