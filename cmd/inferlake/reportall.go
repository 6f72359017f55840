package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
)

// allReports is the name that asks for every report, in the order of sql.Contents.
const allReports = "all"

// pageRows is how many rows of a report the page of all of them shows.
const pageRows = 500

func (c *reportCommand) checkAll() error {
	switch {
	case c.Sort != "" || c.Top > 0:
		return errors.New("--sort and --top go with one report, not with all: their columns differ")
	case !slices.Contains([]string{"table", "markdown", "html"}, c.Format):
		return fmt.Errorf("all reports cannot be written as %s, which has one list of columns: choose table, markdown or html", c.Format)
	}
	for name := range c.params() {
		if !slices.ContainsFunc(sql.Reports(), func(r sql.Report) bool { return takes(r, name) }) {
			return fmt.Errorf("no report has the parameter %s", name)
		}
	}
	return nil
}

func takes(r sql.Report, name string) bool {
	return slices.ContainsFunc(r.Params, func(p sql.Param) bool { return p.Name == name })
}

// reports writes all reports. One that fails says why in its place.
func (h *localHouse) reports(ctx context.Context, q reportQuestion) (page, error) {
	groups, note, err := h.sections(ctx, q)
	if err != nil {
		return page{}, err
	}
	out, err := drawAll(groups, q)
	out.Note = note
	return out, err
}

// sections runs all reports.
func (h *localHouse) sections(ctx context.Context, q reportQuestion) (groups []render.Group, note string, err error) {
	notes := map[string]bool{}
	for _, g := range sql.Contents() {
		group := render.Group{Title: g.Title, Note: g.Note}
		for _, r := range g.Reports {
			s, note := h.section(ctx, r, q)
			if ctx.Err() != nil {
				return nil, "", ctx.Err()
			}
			group.Sections = append(group.Sections, s)
			notes[note] = true
		}
		groups = append(groups, group)
	}
	delete(notes, "")
	return groups, strings.Join(slices.Sorted(maps.Keys(notes)), "\n"), nil
}

// section is one report among all, with those of the parameters that it has.
func (h *localHouse) section(ctx context.Context, r sql.Report, q reportQuestion) (s render.Section, note string) {
	s = render.Section{Name: r.Name, Most: pageRows, Table: render.Table{Title: r.Title, Description: r.Description}}
	given := q.Params
	q.Params = map[string]string{}
	for name, v := range given {
		if takes(r, name) {
			q.Params[name] = v
		}
	}
	if note, s.Err = h.sealOf(ctx, r, &q); s.Err != nil {
		return s, ""
	}
	arguments, err := r.Arguments(q.Params)
	if err != nil {
		s.Err = err
		return s, note
	}
	table, err := h.table(ctx, r, q, arguments)
	if err != nil {
		s.Err = err
		return s, note
	}
	s.Table = table
	return s, note
}

// noteOf says what a page of all reports is of.
func noteOf(q reportQuestion) string {
	var of []string
	for _, name := range slices.Sorted(maps.Keys(q.Params)) {
		of = append(of, name+" = "+q.Params[name])
	}
	if q.AsOf != "" {
		of = append(of, "as of the seal "+q.AsOf)
	}
	return strings.Join(of, ", ")
}

func drawAll(groups []render.Group, q reportQuestion) (page, error) {
	var b bytes.Buffer
	if q.Format == "html" {
		err := render.WritePage(&b, render.Page{Title: "Inferlake reports", Note: noteOf(q), Groups: groups})
		return page{Content: b.Bytes()}, err
	}
	for _, g := range groups {
		for _, s := range g.Sections {
			if s.Err != nil {
				fmt.Fprintf(&b, "%s: %v\n\n", s.Table.Title, s.Err)
				continue
			}
			one, err := draw(s.Table, q)
			if err != nil {
				return page{}, err
			}
			b.Write(append(one.Content, '\n'))
		}
	}
	return page{Content: b.Bytes()}, nil
}
