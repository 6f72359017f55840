package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// ErrInUse is returned when another process runs a broker in the directory.
var ErrInUse = errors.New("the directory is in use")

const lockName = "broker.lock"

// lock holds a directory for this process. The operating system frees it when the process dies.
type lock struct{ file *flock.Flock }

func acquire(dir string) (*lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the broker's directory: %w", err)
	}
	name := filepath.Join(dir, lockName)
	l := &lock{flock.New(name)}
	got, err := l.file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("cannot lock the broker's directory %s: %w", dir, err)
	}
	if !got {
		return nil, fmt.Errorf("cannot run a broker in %s: %w by process %s; stop it, or connect to it", dir, ErrInUse, holder(name))
	}
	if err := os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		l.release()
		return nil, fmt.Errorf("cannot name the holder of %s: %w", name, err)
	}
	return l, nil
}

// holder is the process id that the holder of a lock wrote.
func holder(name string) string {
	b, err := os.ReadFile(name)
	if pid := strings.TrimSpace(string(b)); err == nil && pid != "" {
		return pid
	}
	return "unknown"
}

func (l *lock) release() error { return l.file.Unlock() }
