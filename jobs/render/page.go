package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/inferlake/inferlake/jobs/chart"
)

// Page is reports on one HTML page that needs no script and no other file.
type Page struct {
	Title  string
	Note   string // what the page is of; "": nothing
	Groups []Group
}

// Group is reports that belong together. A page of one group without a title is no list of contents' worth.
type Group struct {
	Title, Note string
	Sections    []Section
}

// Section is one report, or why there is none.
type Section struct {
	Name  string // unique within the page; of letters, digits and underscores
	Table Table
	Err   error
	Most  int // rows of the table that are shown; 0: all
}

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"section": viewOf,
	"style":   func() template.CSS { return template.CSS(chart.Style + pageStyle) },
	"lines":   func(text string) []string { return strings.Split(text, "\n\n") },
}).Parse(pageText))

// WritePage writes reports as one page.
func WritePage(out io.Writer, p Page) error {
	if err := pageTemplate.Execute(out, p); err != nil {
		return fmt.Errorf("cannot write the page %q: %w", p.Title, err)
	}
	return nil
}

// writeHTML writes a page of one report.
func writeHTML(out io.Writer, r Table, _ Options) error {
	title := r.Title
	if title == "" {
		title = "Answer"
	}
	return WritePage(out, Page{Title: title, Groups: []Group{{Sections: []Section{{Name: "report", Table: r}}}}})
}

// Listed says that a page has more than one section, and a list of them.
func (p Page) Listed() bool {
	return len(p.Groups) > 1 || len(p.Groups) == 1 && len(p.Groups[0].Sections) > 1
}

// sectionView is a section as the page's template reads it.
type sectionView struct {
	Section
	Head    []fact
	Figures []figureView
	Grid    template.HTML
	Foot    []string
	Long    string // how many rows a table has that is opened only when asked for; "": it is open
}

// fact is a line of a report's head.
type fact struct{ Name, Value string }

type figureView struct {
	figure
	Err      error
	Keys     []chart.Key
	Drawings []drawing
}

// drawing is one SVG with the name of its small multiple.
type drawing struct {
	Name string
	Keys []chart.Key
	SVG  template.HTML
}

// shareKeys makes one legend of those that are the same.
func (v *figureView) shareKeys() {
	for _, d := range v.Drawings {
		if !slices.Equal(d.Keys, v.Drawings[0].Keys) {
			return
		}
	}
	for i := range v.Drawings {
		v.Keys, v.Drawings[i].Keys = v.Drawings[i].Keys, nil
	}
}

// mostOpen is how many rows a table may have that stands open: of a longer one the pictures are read first.
const mostOpen = 30

// viewOf draws a section. Everything marked as HTML here was escaped where it was written.
func viewOf(s Section) sectionView {
	v := sectionView{Section: s}
	if s.Err != nil {
		return v
	}
	span, r := window(s.Table)
	v.Head = factsOf(r, span)
	for i, c := range r.Charts {
		v.Figures = append(v.Figures, drawn(figureOf(r, c, fmt.Sprintf("%s-%d", s.Name, i))))
	}
	if len(r.Rows) > 0 {
		grid, foot := gridHTML(s.cut(r))
		v.Grid, v.Foot = template.HTML(grid), foot
		if all := len(r.Rows); s.Most > 0 && all > s.Most {
			v.Foot = append(v.Foot, fmt.Sprintf("The first %s of %s; inferlake report %s has all.", thousands(fmt.Sprint(s.Most)), count(all, "row"), s.Name))
		}
		if len(r.Rows) > mostOpen {
			v.Long = r.shown()
		}
	}
	return v
}

// cut leaves out the rows that a page has no room for.
func (s Section) cut(r Table) Table {
	if s.Most > 0 {
		return r.Top(s.Most)
	}
	return r
}

// someRows says how many rows there are, unless the page says in words that there are none.
func someRows(r Table) string {
	if len(r.Rows) == 0 {
		return ""
	}
	return r.shown()
}

func factsOf(r Table, span string) []fact {
	var facts []fact
	for _, f := range []fact{
		{"Range", span},
		{"Rows", someRows(r)},
		{"Parameters", parameters(r)},
		{"Layers", strings.Join(r.Layers, ", ")},
		{"Complete through", completeThrough(r)},
	} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

func drawn(f figure, err error) figureView {
	v := figureView{figure: f, Err: err}
	for i, p := range f.Pictures {
		d := drawing{SVG: template.HTML(p.SVG()), Keys: p.Keys()}
		if f.Names != nil {
			d.Name = f.Names[i]
		}
		v.Drawings = append(v.Drawings, d)
	}
	v.shareKeys()
	return v
}
