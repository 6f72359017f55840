package render

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// writeJSON writes a report as an object with its title, parameters, columns and rows, and an ad-hoc query as the array
// of its rows. A row is an object in the order of the columns.
func writeJSON(out io.Writer, r Table, _ Options) error {
	w := bufio.NewWriter(out)
	if r.Title != "" {
		if err := writeReportHead(w, r); err != nil {
			return err
		}
	}
	if err := writeRows(w, r); err != nil {
		return err
	}
	if r.Title != "" {
		w.WriteString("}")
	}
	w.WriteString("\n")
	return w.Flush()
}

func writeReportHead(w *bufio.Writer, r Table) error {
	params := map[string]*string{}
	for _, p := range r.Params {
		params[p.Name] = nil
		if p.Value != "" {
			params[p.Name] = &p.Value
		}
	}
	type column struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Unit string `json:"unit,omitempty"`
	}
	var complete any
	if !r.Complete.IsZero() {
		complete = jsonValue(r.Complete)
	}
	columns := []column{}
	for _, c := range r.Columns {
		columns = append(columns, column(c))
	}
	head, err := json.Marshal(struct {
		Title       string             `json:"title"`
		Description string             `json:"description,omitempty"`
		Parameters  map[string]*string `json:"parameters"`
		Complete    any                `json:"complete_through,omitempty"`
		Columns     []column           `json:"columns"`
		Of          int                `json:"rows_in_all,omitempty"`
	}{r.Title, r.Description, params, complete, columns, r.Of})
	if err != nil {
		return fmt.Errorf("cannot write the report's head: %w", err)
	}
	w.Write(head[:len(head)-1])
	w.WriteString(`,"rows":`)
	return nil
}

func writeRows(w *bufio.Writer, r Table) error {
	w.WriteString("[")
	for n, row := range r.Rows {
		if n > 0 {
			w.WriteString(",")
		}
		w.WriteString("\n")
		if err := writeRow(w, r.Columns, row); err != nil {
			return err
		}
	}
	w.WriteString("\n]")
	return nil
}

func writeRow(w *bufio.Writer, columns []Column, row []any) error {
	for i, v := range row {
		name, err := json.Marshal(columns[i].Name)
		if err != nil {
			return fmt.Errorf("cannot write the name %q: %w", columns[i].Name, err)
		}
		value, err := json.Marshal(jsonValue(v))
		if err != nil {
			return fmt.Errorf("cannot write a value of %s: %w", columns[i].Name, err)
		}
		w.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		w.Write(name)
		w.WriteString(":")
		w.Write(value)
	}
	w.WriteString("}")
	return nil
}

// jsonValue keeps numbers, lists and booleans; the rest is text.
func jsonValue(v any) any {
	text, ok := exact(v)
	switch {
	case !ok:
		return nil
	case isNumber(v):
		return json.Number(text)
	}
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = jsonValue(v[i])
		}
		return items
	}
	return text
}
