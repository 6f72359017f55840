package jobs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
)

// files writes what was drawn in the formats of the job, with a list of all.
func (made drawing) files(p planned, of Period, seal string) (files []File, err error) {
	for _, format := range p.Formats {
		var more []File
		switch format {
		case "html":
			more, err = made.page(p, of, seal)
		case "parquet":
			more = made.parquets()
		default:
			more, err = made.each(format)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot write %s as %s: %w", of.Name, format, err)
		}
		files = append(files, more...)
	}
	files = append(files, made.attached...)
	list, err := contents(p, of, seal, files)
	return append(files, list), err
}

func (made drawing) parquets() (files []File) {
	for _, d := range made.reports {
		files = append(files, File{d.as + ".parquet", d.parquet})
	}
	return files
}

// endings are the ends of files' names where they are not the format's.
var endings = map[string]string{"markdown": "md"}

// each writes a file a report, and one for its difference.
func (made drawing) each(format string) (files []File, err error) {
	for _, d := range made.reports {
		for _, part := range d.parts() {
			var b bytes.Buffer
			if err := render.Write(&b, part.table, render.Options{Format: format}); err != nil {
				return nil, err
			}
			files = append(files, File{part.name + "." + cmp.Or(endings[format], format), b.Bytes()})
		}
	}
	return files, nil
}

// part is a table of a page or a file.
type part struct {
	name  string
	table render.Table
}

// parts are the difference, where there is one, and the report.
func (d drawnReport) parts() (all []part) {
	if d.difference != nil {
		all = append(all, part{d.as + "_difference", *d.difference})
	}
	return append(all, part{d.as, d.table})
}

// page is all of it for people: the differences to the period before on top, then the reports.
func (made drawing) page(p planned, of Period, seal string) ([]File, error) {
	against := render.Group{Title: "Against " + of.Before().Name}
	all := render.Group{Title: of.Name}
	for _, d := range made.reports {
		for _, part := range d.parts() {
			group := &all
			if part.name != d.as {
				group = &against
			}
			group.Sections = append(group.Sections, render.Section{Name: strings.ReplaceAll(part.name, "-", "_"), Table: part.table})
		}
	}
	page := render.Page{Title: p.Name + " " + of.Name, Groups: []render.Group{against, all},
		Note: fmt.Sprintf("%s to %s, %s; as of the seal %s", inZone(of.From, of.zone), inZone(of.To, of.zone), p.Zone, seal)}
	if len(against.Sections) == 0 {
		page.Groups = page.Groups[1:]
	}
	var b bytes.Buffer
	err := render.WritePage(&b, page)
	return []File{{"index.html", b.Bytes()}}, err
}

func inZone(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04 -07:00")
}

// contents is the list of a period's files, for programs: of which seal and reports they are, and a sum of each.
func contents(p planned, of Period, seal string, files []File) (File, error) {
	type entry struct {
		Name   string `json:"name"`
		Bytes  int    `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	list := struct {
		Job     string    `json:"job"`
		Period  string    `json:"period"`
		From    time.Time `json:"from"`
		To      time.Time `json:"to"`
		Zone    string    `json:"zone"`
		Seal    string    `json:"seal"`
		Reports string    `json:"reports"`
		Files   []entry   `json:"files"`
	}{p.Name, of.Name, of.From, of.To, p.Zone, seal, sql.Version(), nil}
	for _, f := range files {
		list.Files = append(list.Files, entry{f.Name, len(f.Content), sum(f.Content)})
	}
	content, err := json.MarshalIndent(list, "", "  ")
	return File{"contents.json", append(content, '\n')}, err
}
