package warehouse

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// takeLock takes the lock file for this process and writes the process id into it.
func takeLock(path string) (*flock.Flock, error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("cannot take the lock %s: %w", path, err)
	}
	if !held {
		return nil, fmt.Errorf("the warehouse of %s is open in process %s: ask that process, or stop it", path, owner(path))
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		l.Unlock()
		return nil, fmt.Errorf("cannot write this process into the lock %s: %w", path, err)
	}
	return l, nil
}

func owner(path string) string {
	b, err := os.ReadFile(path)
	if pid := strings.TrimSpace(string(b)); err == nil && pid != "" {
		return pid
	}
	return "(unknown)"
}
