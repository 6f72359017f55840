package main

import (
	"io/fs"
	"path/filepath"
)

// whole reads a whole number out of a query's result; NULL is 0.
func whole(v any) int64 {
	n, _ := v.(int64)
	return n
}

// folderBytes is the size of the files in a folder.
func folderBytes(dir string) (bytes float64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += float64(info.Size())
			}
		}
		return nil
	})
	return bytes
}
