package jobs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/inferlake/inferlake/sql"
)

// Job is what to make of every period.
type Job struct {
	Name     string        `yaml:"name"`
	Schedule string        `yaml:"schedule"` // cron's five fields, by the clocks of the zone; a period is due at its first moment after the end
	Zone     string        `yaml:"zone"`     // name of a time zone, UTC where ""
	Period   Unit          `yaml:"period"`
	Grace    time.Duration `yaml:"grace"`    // what must be known past the end of a period, 1 h where 0
	CatchUp  int           `yaml:"catch-up"` // how many periods back those that were missed are made up for, 31 where 0
	Reports  []Report      `yaml:"reports"`
	Attach   []string      `yaml:"attach"`  // what else belongs to it, by the names that the Runner knows
	Formats  []string      `yaml:"formats"` // html, csv and parquet where none is given
	Output   string        `yaml:"output"`  // folder of the file tree; "": the one of the program
	Off      bool          `yaml:"off"`     // it is not run by itself
}

// Report is a report of a job.
type Report struct {
	Name    string            `yaml:"report"`
	As      string            `yaml:"as"` // name of its files, the report's where ""
	Params  map[string]string `yaml:"params"`
	Compare []string          `yaml:"compare"` // columns whose difference to the period before stands on top
}

// planned is a job that can be run.
type planned struct {
	Job
	zone     *time.Location
	schedule schedule
	reports  []plannedReport
}

type plannedReport struct {
	sql.Report
	as      string
	params  map[string]string
	compare []string
}

var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// formats are those that a job can deliver.
var formats = []string{"html", "csv", "parquet", "json", "markdown"}

// plan checks a job and fills in what it leaves out.
func (j Job) plan() (p planned, err error) {
	p.Job = j
	if !names.MatchString(j.Name) {
		return p, fmt.Errorf("a job cannot be named %q: letters, digits, dashes and underscores make a name", j.Name)
	}
	if err := errors.Join(p.when(), p.what()); err != nil {
		return p, fmt.Errorf("the job %s: %w", j.Name, err)
	}
	return p, nil
}

func (p *planned) when() (err error) {
	if p.Zone == "" {
		p.Zone = "UTC"
	}
	if p.zone, err = time.LoadLocation(p.Zone); err != nil || p.Zone == "Local" {
		return fmt.Errorf("there is no time zone %q: it is a name like Europe/Berlin", p.Zone)
	}
	if _, ok := examples[p.Period]; !ok {
		return fmt.Errorf("the period cannot be %q: it is day, week or month", p.Period)
	}
	if p.Grace == 0 {
		p.Grace = time.Hour
	}
	if p.CatchUp == 0 {
		p.CatchUp = 31
	}
	if p.Grace < 0 || p.CatchUp < 0 {
		return fmt.Errorf("neither grace (%v) nor catch-up (%d) can be negative", p.Grace, p.CatchUp)
	}
	p.schedule, err = parseSchedule(p.Schedule, p.zone)
	return err
}

func (p *planned) what() error {
	if len(p.Formats) == 0 {
		p.Formats = []string{"html", "csv", "parquet"}
	}
	for _, f := range p.Formats {
		if !slices.Contains(formats, f) {
			return fmt.Errorf("the format cannot be %q: there are %v", f, formats)
		}
	}
	if len(p.Reports) == 0 {
		return errors.New("it has no reports")
	}
	for _, r := range p.Reports {
		planned, err := r.plan()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(p.reports, func(other plannedReport) bool { return other.as == planned.as }) {
			return fmt.Errorf("two of its reports have files named %s: give one another name by as", planned.as)
		}
		p.reports = append(p.reports, planned)
	}
	return nil
}

func (r Report) plan() (p plannedReport, err error) {
	if p.Report, err = sql.Find(r.Name); err != nil {
		return p, err
	}
	if p.as = r.As; p.as == "" {
		p.as = r.Name
	}
	if !names.MatchString(p.as) {
		return p, fmt.Errorf("files cannot be named %q: letters, digits, dashes and underscores make a name", p.as)
	}
	p.params, p.compare = r.Params, r.Compare
	_, err = p.arguments("", Period{})
	return p, err
}

// arguments are those of the report for a period: what the period says, where the report takes it, and what the job says.
func (r plannedReport) arguments(job string, of Period) ([]sql.Argument, error) {
	given := map[string]string{}
	for name, value := range of.words(job) {
		if slices.ContainsFunc(r.Report.Params, func(p sql.Param) bool { return p.Name == name }) {
			given[name] = value
		}
	}
	for name, value := range r.params {
		given[name] = value
	}
	return r.Report.Arguments(given)
}

// words are parameters of reports that a period and its job give.
func (p Period) words(job string) map[string]string {
	if p.zone == nil {
		return nil
	}
	before := p.Before()
	return map[string]string{"from": timeText(p.From), "to": timeText(p.To), "before_from": timeText(before.From),
		"before_to": timeText(before.To), "zone": p.zone.String(), "book": job}
}

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Check refuses jobs that cannot be run, and two of one name.
func Check(all []Job) error {
	seen := map[string]bool{}
	for _, j := range all {
		if _, err := j.plan(); err != nil {
			return err
		}
		if seen[j.Name] {
			return fmt.Errorf("there are two jobs named %s", j.Name)
		}
		seen[j.Name] = true
	}
	return nil
}
