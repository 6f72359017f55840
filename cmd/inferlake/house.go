package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/inferlake/inferlake/jobs"
	"github.com/inferlake/inferlake/jobs/render"
	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// house is the warehouse of a data directory: in this process, or behind the serve that owns it.
type house interface {
	report(context.Context, reportQuestion) (page, error)
	takeSnapshot(context.Context, none) (snapshotTaken, error)
	verify(context.Context, none) (verdict, error)
	seal(context.Context, sealQuestion) (sealed, error)
	dropSeal(context.Context, sealName) (none, error)
	importPrices(context.Context, priceList) (taken, error)
	changePrices(context.Context, priceChange) (none, error)
	jobs(context.Context, jobQuestion) (page, error)
}

type (
	none struct{}
	// page is a rendered answer.
	page struct {
		Content []byte `json:"content"`
		Note    string `json:"note"` // what else the reader should know; "": nothing
	}
	// snapshotTaken says where a snapshot for readers lies.
	snapshotTaken struct {
		Path string `json:"path"`
	}
	// verdict is what a check of the invariants found.
	verdict struct {
		Text string `json:"text"`
		Held bool   `json:"held"`
	}
)

// open returns the house of a data directory: through the running serve, else the files themselves.
func (f folder) open(ctx context.Context, log *slog.Logger) (house, func() error, error) {
	running, err := f.running()
	if err != nil {
		return nil, nil, err
	}
	if running != nil {
		return &remoteHouse{running}, func() error { return nil }, nil
	}
	if _, err := os.Stat(f.database()); err != nil {
		return nil, nil, fmt.Errorf("there is no data in %s: run demo, or produce and then serve --once, or name another directory by --data", f)
	}
	w, err := warehouse.Open(ctx, f.warehouse(), warehouse.Options{Log: log})
	if err != nil {
		return nil, nil, err
	}
	return &localHouse{Warehouse: w, data: f}, w.Close, nil
}

// localHouse answers from the warehouse that this process has open.
type localHouse struct {
	*warehouse.Warehouse
	data folder

	mu sync.Mutex // one snapshot at a time

	planned []jobs.Job
	runner  *jobs.Runner
}

// reportQuestion asks for a report.
type reportQuestion struct {
	Name   string            `json:"name"`
	Params map[string]string `json:"params"`
	AsOf   string            `json:"as_of"` // name of a seal; "": now
	Sort   string            `json:"sort"`  // column, - before it for greatest first; "": as the report has it
	Top    int               `json:"top"`   // most rows; 0: all
	Format string            `json:"format"`
	Width  int               `json:"width"` // of the terminal, columns; 0: not one
	Color  bool              `json:"color"`
}

func (h *localHouse) report(ctx context.Context, q reportQuestion) (page, error) {
	if q.Name == allReports {
		return h.reports(ctx, q)
	}
	report, err := sql.Find(q.Name)
	if err != nil {
		return page{}, err
	}
	note, err := h.sealOf(ctx, report, &q)
	if err != nil {
		return page{}, err
	}
	arguments, err := report.Arguments(q.Params)
	if err != nil {
		return page{}, err
	}
	kept, err := h.keptFrom(ctx, q.AsOf, report, named(arguments))
	if err != nil {
		return page{}, err
	}
	if !kept.IsZero() {
		begin := kept.Format(time.DateTime) + " UTC"
		arguments = append(arguments, sql.Argument{Name: "kept_from", Value: begin})
		note = strings.TrimSpace(note + "\nwhat it reads begins at " + begin + ": what is older was removed (SELECT * FROM v1.retention)")
	}
	out, err := h.answer(ctx, report, q, arguments)
	out.Note = note
	return out, err
}

func (h *localHouse) answer(ctx context.Context, report sql.Report, q reportQuestion, arguments []sql.Argument) (page, error) {
	if q.Format == "parquet" {
		return h.parquet(ctx, q.AsOf, report.Query, named(arguments))
	}
	table, err := h.table(ctx, report, q, arguments)
	if err != nil {
		return page{}, err
	}
	return draw(table, q)
}

// table is what a report says, sorted and cut as asked.
func (h *localHouse) table(ctx context.Context, report sql.Report, q reportQuestion, arguments []sql.Argument) (render.Table, error) {
	complete, err := h.completeThrough(ctx, q.AsOf, report)
	if err != nil {
		return render.Table{}, err
	}
	result, err := h.read(ctx, q.AsOf, report.Query, named(arguments))
	if err != nil {
		return render.Table{}, err
	}
	table := tableOf(result, report, arguments)
	table.Complete = complete
	if q.AsOf != "" {
		table.Params = append(table.Params, render.Param{Name: "as_of", Value: q.AsOf})
	}
	if q.Sort != "" {
		if table, err = table.Sorted(q.Sort); err != nil {
			return render.Table{}, err
		}
	}
	if q.Top > 0 {
		table = table.Top(q.Top)
	}
	return table, nil
}

func named(arguments []sql.Argument) map[string]any {
	args := map[string]any{}
	for _, a := range arguments {
		args[a.Name] = a.Value
	}
	return args
}

// completeThrough is the horizon that a report needs. It is read before the report: what is committed meanwhile only adds.
func (h *localHouse) completeThrough(ctx context.Context, seal string, report sql.Report) (t time.Time, err error) {
	if report.Horizon == "" {
		return t, nil
	}
	result, err := h.read(ctx, seal, "SELECT "+report.Horizon+" FROM v1.horizon", nil)
	if err == nil {
		t, _ = result.Rows[0][0].(time.Time)
	}
	return t, err
}

// read runs a query now or as of a seal.
func (h *localHouse) read(ctx context.Context, seal, query string, args map[string]any) (warehouse.Result, error) {
	if seal == "" {
		return h.Query(ctx, query, args)
	}
	return h.QueryAt(ctx, seal, query, args)
}

// parquet has DuckDB write the answer: it keeps every type.
func (h *localHouse) parquet(ctx context.Context, seal, query string, args map[string]any) (page, error) {
	dir, err := os.MkdirTemp(string(h.data), "export-")
	if err != nil {
		return page{}, fmt.Errorf("cannot make a place for the Parquet file: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "report.parquet")
	if seal == "" {
		err = h.CopyParquet(ctx, query, args, file)
	} else {
		err = h.CopyParquetAt(ctx, seal, query, args, file)
	}
	if err != nil {
		return page{}, err
	}
	content, err := os.ReadFile(file)
	return page{Content: content}, err
}

// takeSnapshot copies the database for readers. A copy is good until the next commit; its name says which it is of.
func (h *localHouse) takeSnapshot(ctx context.Context, _ none) (snapshotTaken, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	commit, err := h.LastCommit(ctx)
	if err != nil {
		return snapshotTaken{}, err
	}
	path, err := filepath.Abs(h.data.snapshot(commit))
	if err != nil {
		return snapshotTaken{}, err
	}
	if _, missing := os.Stat(path); missing == nil {
		return snapshotTaken{path}, nil
	}
	if err := h.Snapshot(ctx, path); err != nil {
		return snapshotTaken{}, err
	}
	return snapshotTaken{path}, h.data.keepSnapshot(path)
}

func (h *localHouse) verify(ctx context.Context, _ none) (verdict, error) {
	report, err := h.Verify(ctx)
	if err != nil {
		return verdict{}, err
	}
	return verdict{verdictText(report), report.Held()}, nil
}

// remoteHouse asks the serve that owns the data directory.
type remoteHouse struct{ *server }

const answerTimeout = 10 * time.Minute

func (h *remoteHouse) report(ctx context.Context, q reportQuestion) (page, error) {
	return ask[page](ctx, h.server, "report", q)
}

func (h *remoteHouse) takeSnapshot(ctx context.Context, n none) (snapshotTaken, error) {
	return ask[snapshotTaken](ctx, h.server, "snapshot", n)
}

func (h *remoteHouse) verify(ctx context.Context, n none) (verdict, error) {
	return ask[verdict](ctx, h.server, "verify", n)
}

func (h *remoteHouse) seal(ctx context.Context, q sealQuestion) (sealed, error) {
	return ask[sealed](ctx, h.server, "seal", q)
}

func (h *remoteHouse) dropSeal(ctx context.Context, name sealName) (none, error) {
	return ask[none](ctx, h.server, "drop-seal", name)
}

// ask posts a question to serve's internal address.
func ask[Out any](ctx context.Context, s *server, what string, question any) (out Out, err error) {
	body, err := json.Marshal(question)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Address+"/internal/"+what, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return out, fmt.Errorf("cannot reach the serve (pid %d) that owns the data directory: %w; if it was killed and the pid is another program's now, remove serve.json there", s.PID, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 4096))
		return out, fmt.Errorf("serve (pid %d) could not answer: %s", s.PID, bytes.TrimSpace(text))
	}
	return out, json.NewDecoder(response.Body).Decode(&out)
}

// tableOf puts a result with what the report says about it into the form that render draws.
func tableOf(r warehouse.Result, report sql.Report, arguments []sql.Argument) render.Table {
	t := render.Table{Title: report.Title, Description: report.Description, Optional: report.Optional, Rare: report.Rare,
		Layers: report.Layers, Charts: report.Charts}
	for _, c := range r.Columns {
		t.Columns = append(t.Columns, render.Column{Name: c.Name, Type: c.Type, Unit: report.Units[c.Name]})
	}
	for _, a := range arguments {
		if a.Value != nil {
			t.Params = append(t.Params, render.Param{Name: a.Name, Value: fmt.Sprint(a.Value)})
		}
	}
	t.Rows = r.Rows
	return t
}

func draw(t render.Table, q reportQuestion) (page, error) {
	var b bytes.Buffer
	err := render.Write(&b, t, render.Options{Format: q.Format, Width: q.Width, Color: q.Color})
	return page{Content: b.Bytes()}, err
}
