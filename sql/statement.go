package sql

import "strings"

// marker starts a statement in a file of statements.
const marker = "-- name: "

var statements = readStatements()

// Statement returns a statement by name, with {key} replaced for each key, value pair given.
// An unknown name is a bug.
func Statement(name string, pairs ...string) string {
	text, ok := statements[name]
	if !ok {
		panic("no statement is named " + name)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, "{"+pairs[i]+"}", pairs[i+1])
	}
	return text
}

// Quote makes a text a literal of SQL.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Name makes a text a name of SQL.
func Name(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

func readStatements() map[string]string {
	all := map[string]string{}
	for _, file := range Folder("statements") {
		for _, part := range strings.Split(file.SQL, marker)[1:] {
			name, text, _ := strings.Cut(part, "\n")
			all[strings.TrimSpace(name)] = strings.TrimSpace(text)
		}
	}
	return all
}
