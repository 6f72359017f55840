package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"
)

type sqlCommand struct {
	Query   string        `arg:"" optional:"" help:"One SELECT. Default: standard input."`
	Format  string        `help:"table, json, csv, markdown or html." enum:"table,json,csv,markdown,html" default:"table"`
	Output  string        `help:"File to write to. Default: standard output." short:"o" placeholder:"FILE"`
	Timeout time.Duration `help:"After this the query is ended." default:"30s"`
	Rows    int           `help:"Most rows that are shown." default:"100000"`
}

// Run takes a snapshot and answers on it in a process of its own, so that no query can harm the writer.
func (c *sqlCommand) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	if c.Query == "" {
		text, err := io.ReadAll(p.stdin)
		if err != nil {
			return fmt.Errorf("cannot read the query from standard input: %w", err)
		}
		c.Query = string(text)
	}
	if strings.TrimSpace(c.Query) == "" {
		return errors.New("there is no query: give it as an argument or on standard input")
	}
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	snapshot, err := h.takeSnapshot(ctx, none{})
	if err := errors.Join(err, done()); err != nil {
		return err
	}
	width, color := terminal(p.stdout)
	content, err := c.inChild(ctx, p, queryQuestion{snapshot.Path, c.Query, c.Rows, reportQuestion{Format: c.Format, Width: width, Color: color}})
	if err != nil {
		return err
	}
	return p.write(c.Output, content)
}

// inChild runs the query command with the question on its standard input, and ends it when time is up.
func (c *sqlCommand) inChild(ctx context.Context, p program, q queryQuestion) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot start a process for the query: %w", err)
	}
	question, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	child := exec.CommandContext(ctx, self, "query")
	child.Env = []string{"GOTRACEBACK=none"}
	child.Stdin = strings.NewReader(string(question))
	var failure strings.Builder
	child.Stderr = &failure
	content, err := child.Output()
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return nil, fmt.Errorf("the query was ended after %v; a longer --timeout may help", c.Timeout)
	case err != nil:
		reason, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(failure.String()), "inferlake: "), "\ngoroutine ")
		if reason == "" {
			reason = err.Error()
		}
		return nil, errors.New(strings.ReplaceAll(reason, q.Snapshot, "the snapshot"))
	}
	return content, nil
}
