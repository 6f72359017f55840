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
		if err := need(f, n, "timestamp", l.Timestamp, maxSeconds*1000); err != nil {
			return err
		}
		if err := needLengths(f, n, l.InputLength, l.OutputLength); err != nil {
			return err
		}
		row := newRow(n)
		row.At = *l.Timestamp * 1_000_000
		row.Prompt, row.Output, row.Blocks = *l.InputLength, *l.OutputLength, l.HashIDs
		return each(row)
	})
}
