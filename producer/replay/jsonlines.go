package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// eachLine decodes every line that is not empty into a new T and gives it to do.
func eachLine[T any](f *file, do func(line int64, row *T) error) error {
	in := bufio.NewReaderSize(f, 1<<20)
	for line := int64(1); ; line++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			row := new(T)
			if err := json.Unmarshal(text, row); err != nil {
				return f.errorf(line, "not a row: %w", err)
			}
			if err := do(line, row); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// need says which number a row lacks or has out of range.
func need(f *file, line int64, name string, v *int64) error {
	if v == nil {
		return f.errorf(line, "no %s", name)
	}
	if *v < 0 {
		return f.errorf(line, "%s %d: must not be negative", name, *v)
	}
	return nil
}
