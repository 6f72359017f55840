package replay

import "time"

// azureLayouts are the ways in which the years wrote a time; without a zone it is UTC.
func azureLayouts() []string {
	return []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z07:00"}
}

// readAzure reads the traces of https://github.com/Azure/AzurePublicDataset.
func readAzure(f *file, each func(*Row) error) error {
	t, err := openCSV(f, "TIMESTAMP", "ContextTokens", "GeneratedTokens")
	if err != nil {
		return err
	}
	layouts := azureLayouts()
	for {
		if more, err := t.next(); err != nil || !more {
			return err
		}
		row, err := azureRow(t, layouts)
		if err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

func azureRow(t *csvTable, layouts []string) (row *Row, err error) {
	row = newRow(t.line)
	if row.At, err = azureTime(t, layouts); err != nil {
		return nil, err
	}
	if row.Prompt, err = t.count("ContextTokens"); err != nil {
		return nil, err
	}
	if row.Output, err = t.count("GeneratedTokens"); err != nil {
		return nil, err
	}
	if t.has("NumImages") {
		row.Images, err = t.count("NumImages")
	}
	return row, err
}

func azureTime(t *csvTable, layouts []string) (int64, error) {
	text := t.text("TIMESTAMP")
	for i, layout := range layouts {
		at, err := time.Parse(layout, text)
		if err == nil && at.Year() < maxYear {
			layouts[0], layouts[i] = layouts[i], layouts[0] // a file keeps to one
			return at.UnixNano(), nil
		}
	}
	return 0, t.file.errorf(t.line, "TIMESTAMP %q: no time in any of the layouts known", text)
}
