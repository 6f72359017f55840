package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/inferlake/inferlake/sql"
)

type reportCommand struct {
	Name   string            `arg:"" help:"Report to print, or list."`
	From   string            `help:"Start of the range, UTC, inclusive." placeholder:"TIME"`
	To     string            `help:"End of the range, UTC, exclusive." placeholder:"TIME"`
	By     string            `help:"What to group by." placeholder:"DIMENSION"`
	Set    map[string]string `help:"Another parameter of the report; report list shows them." placeholder:"NAME=VALUE"`
	Format string            `help:"table, json, csv, markdown or parquet." enum:"table,json,csv,markdown,parquet" default:"table"`
	Output string            `help:"File to write to. Default: standard output." short:"o" placeholder:"FILE"`
}

func (c *reportCommand) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	if c.Name == "list" {
		return listReports(p.stdout)
	}
	if _, err := sql.Find(c.Name); err != nil {
		return err
	}
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	width, color := terminal(p.stdout)
	out, err := h.report(ctx, reportQuestion{c.Name, c.params(), c.Format, width, color})
	if err != nil {
		return err
	}
	return p.write(c.Output, out.Content)
}

func (c *reportCommand) params() map[string]string {
	params := map[string]string{}
	for name, v := range c.Set {
		params[name] = v
	}
	for name, v := range map[string]string{"from": c.From, "to": c.To, "by": c.By} {
		if v != "" {
			params[name] = v
		}
	}
	return params
}

// listReports prints every report with its parameters.
func listReports(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range sql.Reports() {
		fmt.Fprintf(t, "%s\t%s\n", r.Name, r.Title)
		for _, p := range r.Params {
			fmt.Fprintf(t, "\t  %s %s\t%s\n", p.Name, p.Default, p.Doc)
		}
	}
	return t.Flush()
}

// write puts content into a file, or on standard output.
func (p program) write(file string, content []byte) error {
	if file == "" {
		_, err := p.stdout.Write(content)
		return err
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return fmt.Errorf("cannot write the answer: %w", err)
	}
	return nil
}

// terminal says how wide a terminal w is, and whether it shows colours; 0 is none.
func terminal(w io.Writer) (width int, color bool) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		width = 80
	}
	return width, os.Getenv("NO_COLOR") == ""
}
