package apachetest

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

//go:embed pom.xml
var pom []byte

const resolveLimit = 5 * time.Minute

// errMissing is why the broker cannot be run on this machine, which is no fault of the product.
var errMissing = errors.New("not available here")

// jars is the folder that holds what the pom names. The first call on a machine fetches it.
func jars() (string, error) {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%w: %s is not installed: %w", errMissing, tool, err)
		}
	}
	root, err := repository()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(pom)
	folder := filepath.Join(root, ".cache", "kafka-"+hex.EncodeToString(sum[:6]))
	return filepath.Join(folder, "jars"), fetch(folder)
}

// fetch resolves the jars unless a run before has done it. Packages are tested at the same time: one of them fetches.
func fetch(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(folder, "lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	whole := filepath.Join(folder, "whole")
	if _, err := os.Stat(whole); err == nil {
		return nil
	}
	if err := resolve(folder); err != nil {
		return err
	}
	return os.WriteFile(whole, nil, 0o644)
}

func resolve(folder string) error {
	if err := os.WriteFile(filepath.Join(folder, "pom.xml"), pom, 0o644); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolveLimit)
	defer cancel()
	maven := exec.CommandContext(ctx, "mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory=jars")
	maven.Dir = folder
	if out, err := maven.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: mvn could not resolve Apache Kafka: %w\n%s", errMissing, err, out)
	}
	return nil
}

// repository is the folder above that holds go.mod.
func repository() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("no go.mod above the working directory")
		}
	}
	return "", err
}
