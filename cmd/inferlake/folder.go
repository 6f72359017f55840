package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// folder is a data directory.
type folder string

func (f folder) warehouse() string { return string(f) }
func (f folder) database() string  { return filepath.Join(string(f), "inferlake.duckdb") }
func (f folder) broker() string    { return filepath.Join(string(f), "kafka") }
func (f folder) snapshot() string  { return filepath.Join(string(f), "snapshot.duckdb") }
func (f folder) serve() string     { return filepath.Join(string(f), "serve.json") }

// make makes the directory for its owner alone.
func (f folder) make() error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return fmt.Errorf("cannot make the data directory %s: %w", f, err)
	}
	return nil
}

// server is how to reach the serve that owns a data directory; serve.json holds it.
type server struct {
	PID     int      `json:"pid"`
	Brokers []string `json:"brokers"`
	Address string   `json:"address"`
	Token   string   `json:"token"`
}

// announce writes serve.json, readable by its owner alone.
func (f folder) announce(s server) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	temporary := f.serve() + ".new"
	if err := os.WriteFile(temporary, b, 0o600); err != nil {
		return fmt.Errorf("cannot tell other commands where serve is: %w", err)
	}
	return os.Rename(temporary, f.serve())
}

// running returns the serve that owns the directory, nil when none runs.
func (f folder) running() (*server, error) {
	b, err := os.ReadFile(f.serve())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot see whether serve runs on %s: %w", f, err)
	}
	var s server
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w; remove it if no serve runs", f.serve(), err)
	}
	if syscall.Kill(s.PID, 0) != nil {
		return nil, nil // it was killed: the file is left over
	}
	return &s, nil
}
