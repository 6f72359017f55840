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
func need(f *file, line int64, name string, v *int64, limit int64) error {
	if v == nil {
		return f.errorf(line, "no %s", name)
	}
	if *v < 0 || *v > limit {
		return f.errorf(line, "%s %d: must be 0 to %d", name, *v, limit)
	}
	return nil
}

// needLengths is need for the lengths of a request.
func needLengths(f *file, line int64, input, output *int64) error {
	if err := need(f, line, "input_length", input, maxTokens); err != nil {
		return err
	}
	return need(f, line, "output_length", output, maxTokens)
}
