package sql

import (
	"fmt"
	"regexp"
	"strings"
)

// ParseReport reads a report from its file. Its first comment says what it is; docs/adding.md shows the form:
//
//	-- Title
//	--
//	-- What it says, in any number of lines.
//	--
//	-- param from TIMESTAMP: What it means.
//	-- param by VARCHAR = model {model, instance}: With a default and the values allowed.
//	-- unit ttft_p50, ttft_p99: seconds
//	-- optional ttft_p50
//	-- rare clamped
//	-- horizon settled
//	-- layer latency, TTFT
//	-- chart bars "TTFT": ttft_p50, ttft_p99 over group
//	-- balance item: difference
func ParseReport(name, text string) (Report, error) {
	comment, query := splitComment(text)
	if len(comment) == 0 || strings.TrimSpace(query) == "" {
		return Report{}, fmt.Errorf("cannot read the report %s: it begins with a comment, its query follows", name)
	}
	r := Report{Name: name, Title: comment[0], Units: map[string]string{}, Query: query}
	for _, line := range comment[1:] {
		if err := r.readLine(line); err != nil {
			return Report{}, fmt.Errorf("cannot read the report %s: %w", name, err)
		}
	}
	r.Description = paragraphs(r.Description)
	return r, r.check()
}

// splitComment parts the comment at the head of a file from the rest.
func splitComment(text string) (comment []string, rest string) {
	for {
		line, after, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(line, "--") {
			return comment, text
		}
		comment = append(comment, strings.TrimSpace(strings.TrimPrefix(line, "--")))
		text = after
	}
}

func (r *Report) readLine(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "param":
		p, err := parseParam(rest)
		r.Params = append(r.Params, p)
		return err
	case "unit":
		return r.readUnit(rest)
	case "optional":
		r.Optional = append(r.Optional, list(rest)...)
	case "rare":
		r.Rare = append(r.Rare, list(rest)...)
	case "horizon":
		return r.readHorizon(rest)
	case "balance":
		return r.readBalance(rest)
	case "layer":
		r.Layers = append(r.Layers, list(rest)...)
	case "chart":
		c, err := parseChart(rest)
		r.Charts = append(r.Charts, c)
		return err
	default:
		r.Description += line + "\n"
	}
	return nil
}

var paramForm = regexp.MustCompile(`^(\w+) (TIMESTAMP|DOUBLE|BIGINT|VARCHAR)(?: = ([^\s:{]+))?(?: \{([^}]*)\})?: (.+)$`)

func parseParam(line string) (Param, error) {
	m := paramForm.FindStringSubmatch(line)
	if m == nil {
		return Param{}, fmt.Errorf("the parameter %q is not of the form: name TYPE = default {value, value}: what it means", line)
	}
	return Param{Name: m[1], Type: m[2], Default: m[3], Values: list(m[4]), Doc: m[5]}, nil
}

func (r *Report) readUnit(line string) error {
	columns, unit, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("the unit %q is not of the form: column, column: unit", line)
	}
	for _, c := range list(columns) {
		r.Units[c] = strings.TrimSpace(unit)
	}
	return nil
}

func (r *Report) readHorizon(rest string) error {
	switch rest {
	case "complete":
		r.Horizon = HorizonComplete
	case "settled":
		r.Horizon = HorizonSettled
	default:
		return fmt.Errorf("the horizon %q is neither complete nor settled", rest)
	}
	return nil
}

func (r *Report) readBalance(rest string) (err error) {
	var ok bool
	if r.Balanced, r.Balance, ok = strings.Cut(rest, ": "); !ok {
		return fmt.Errorf("the balance %q is not of the form: column of what is compared: column that is 0", rest)
	}
	return nil
}

var placeholder = regexp.MustCompile(`\$([a-z_]+)`)

// check holds the declared parameters to those that the query uses: a query is not run with one too many or too few.
func (r *Report) check() error {
	used := map[string]bool{}
	for _, m := range placeholder.FindAllStringSubmatch(r.Query, -1) {
		used[m[1]] = true
	}
	for _, p := range r.Params {
		if !used[p.Name] {
			return fmt.Errorf("the report %s does not use its parameter %s", r.Name, p.Name)
		}
		delete(used, p.Name)
	}
	for name := range used {
		return fmt.Errorf("the report %s uses $%s and does not declare it", r.Name, name)
	}
	return nil
}

func list(text string) []string {
	var items []string
	for _, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// paragraphs joins lines and keeps empty ones as breaks.
func paragraphs(text string) string {
	var all []string
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		all = append(all, strings.ReplaceAll(p, "\n", " "))
	}
	return strings.Join(all, "\n\n")
}
