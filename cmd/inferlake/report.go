package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
)

type reportCommand struct {
	Name   string            `arg:"" help:"Report to print; all of them (all); or what there is (list)."`
	From   string            `help:"Start of the range, UTC, inclusive." placeholder:"TIME"`
	To     string            `help:"End of the range, UTC, exclusive." placeholder:"TIME"`
	By     string            `help:"What to group by." placeholder:"DIMENSION"`
	AsOf   string            `help:"As of a seal (inferlake seal), and of its period unless --from and --to say another." placeholder:"SEAL"`
	Set    map[string]string `help:"Another parameter of the report; report list shows them." placeholder:"NAME=VALUE"`
	Sort   string            `help:"Column to sort by; -COLUMN is greatest first." placeholder:"COLUMN"`
	Top    int               `help:"Show the first so many rows only, after sorting." placeholder:"N"`
	Format string            `help:"table, json, csv, markdown, html or parquet." enum:"table,json,csv,markdown,html,parquet" default:"table"`
	Output string            `help:"File to write to. Default: standard output." short:"o" placeholder:"FILE"`
}

func (c *reportCommand) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	if c.Name == "list" {
		return listReports(p.stdout)
	}
	if err := c.check(); err != nil {
		return err
	}
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	width, color := terminal(p.stdout)
	bar := p.progress("asking", "reports")
	bar.RenderBlank()
	out, err := h.report(ctx, reportQuestion{c.Name, c.params(), c.AsOf, c.Sort, c.Top, c.Format, width, color})
	if err := errors.Join(err, bar.Finish()); err != nil {
		return err
	}
	if out.Note != "" {
		fmt.Fprintln(p.stderr, out.Note)
	}
	return p.write(c.Output, out.Content)
}

// check refuses what cannot be asked before a warehouse is opened for it.
func (c *reportCommand) check() error {
	if c.Top < 0 {
		return fmt.Errorf("--top cannot be %d: it is a number of rows", c.Top)
	}
	if c.Format == "parquet" && (c.Sort != "" || c.Top > 0) {
		return errors.New("--sort and --top do not go with parquet, which DuckDB writes whole: sort when reading it")
	}
	if c.Name == allReports {
		return c.checkAll()
	}
	_, err := sql.Find(c.Name)
	return err
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

// listReports prints every report: what it says, and its parameters with their defaults and choices.
func listReports(w io.Writer) error {
	var b strings.Builder
	for _, r := range sql.Reports() {
		fmt.Fprintf(&b, "%s\n%s\n", r.Name, render.Wrap(r.Description, listWidth, "  "))
		for _, p := range r.Params {
			fmt.Fprintf(&b, "    %-9s%s\n", p.Name, strings.TrimSpace(render.Wrap(paramText(p), listWidth, strings.Repeat(" ", 13))))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const listWidth = 80

func paramText(p sql.Param) string {
	doc := p.Doc
	if len(p.Values) > 0 {
		doc += " One of " + strings.Join(p.Values, ", ") + "."
	}
	if p.Default != "" {
		doc += " Default " + p.Default + "."
	}
	return doc
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
