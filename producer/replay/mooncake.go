package replay

// readMooncake reads the traces of https://github.com/kvcache-ai/Mooncake (FAST'25): times in ms from the start, a
// hash for each 512 tokens of the prompt, the last block may be short.
func readMooncake(f *file, each func(*Row) error) error {
	type line struct {
		Timestamp    *int64   `json:"timestamp"`
		InputLength  *int64   `json:"input_length"`
		OutputLength *int64   `json:"output_length"`
		HashIDs      []uint64 `json:"hash_ids"`
	}
	return eachLine(f, func(n int64, l *line) error {
		if err := needAll(f, n, l.Timestamp, l.InputLength, l.OutputLength); err != nil {
			return err
		}
		row := newRow(n)
		row.At = *l.Timestamp * 1_000_000
		row.Prompt, row.Output, row.Blocks = *l.InputLength, *l.OutputLength, l.HashIDs
		return each(row)
	})
}

func needAll(f *file, line int64, timestamp, input, output *int64) error {
	if err := need(f, line, "timestamp", timestamp); err != nil {
		return err
	}
	if err := need(f, line, "input_length", input); err != nil {
		return err
	}
	return need(f, line, "output_length", output)
}
