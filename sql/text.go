// Package sql holds every line of SQL as text; others run it.
//
//   - schema: numbered migrations, each run once, in the order of their names.
//   - macros, views: code, created again at every start.
//   - statements: what the warehouse runs itself, by name.
//   - reports: what the product shows, one file a report; see Report.
//   - verify: one invariant a file, read by the warehouse's Verify.
//
// The first comment of a file is its title.
package sql

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed */*.sql
var files embed.FS

// Text is one file.
type Text struct {
	Name  string // file name without .sql
	Title string // its first comment line
	SQL   string
}

// Number is the number that a migration's name begins with.
func (t Text) Number() (int, error) {
	digits, _, _ := strings.Cut(t.Name, "_")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("migration %q has no number: name it like 0003_what.sql", t.Name)
	}
	return n, nil
}

// Folder returns the files of a folder in the order of their names; none when there is no such folder.
func Folder(name string) []Text {
	entries, err := fs.ReadDir(files, name)
	if err != nil {
		return nil
	}
	var texts []Text
	for _, e := range entries {
		texts = append(texts, read(path.Join(name, e.Name())))
	}
	return texts
}

func read(file string) Text {
	b, err := files.ReadFile(file)
	if err != nil {
		panic("an embedded file cannot be read: " + err.Error())
	}
	text := string(b)
	first, _, _ := strings.Cut(text, "\n")
	return Text{
		Name:  strings.TrimSuffix(path.Base(file), ".sql"),
		Title: strings.TrimSpace(strings.TrimLeft(first, "-")),
		SQL:   text,
	}
}
