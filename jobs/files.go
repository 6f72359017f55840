package jobs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Files delivers to a tree of folders: OUTPUT/JOB/PERIOD/FILE. A period's folder is written beside its place and moved there
// in one step, so that it is there whole or not at all.
type Files struct {
	Output string            // where a job names no folder
	Passed func(step string) // as a Runner's; nil: nobody
}

// writingFolder begins the name of a folder that is being written.
const writingFolder = ".writing-"

// Deliver writes a period's folder. One that is there with the same files is left; one with others is not touched, and an error.
func (f Files) Deliver(ctx context.Context, p Publication) error {
	job := filepath.Join(cmp.Or(p.Output, f.Output), p.Job)
	if err := f.deliver(ctx, p, job); err != nil {
		return fmt.Errorf("cannot write the files of %s into %s: %w", p.Period, job, err)
	}
	return nil
}

func (f Files) deliver(ctx context.Context, p Publication, job string) error {
	place, temporary := filepath.Join(job, p.Period), filepath.Join(job, writingFolder+p.Period)
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	if _, err := os.Lstat(place); err == nil {
		return holds(place, p.Files)
	}
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return err
	}
	if err := f.write(ctx, temporary, p.Files); err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	f.passed(Written)
	return errors.Join(os.Rename(temporary, place), syncFile(job))
}

func (f Files) passed(step string) {
	if f.Passed != nil {
		f.Passed(step)
	}
}

func (f Files) write(ctx context.Context, folder string, files []File) error {
	for _, file := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		path := filepath.Join(folder, file.Name)
		if err := os.WriteFile(path, file.Content, 0o600); err != nil {
			return err
		}
		if err := syncFile(path); err != nil {
			return err
		}
		f.passed(Writing)
	}
	return syncFile(folder)
}

// syncFile makes a file, or the names in a folder, durable.
func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// holds asks that a folder has these files and no others.
func holds(folder string, files []File) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var wrong []string
	for _, file := range files {
		if content, err := os.ReadFile(filepath.Join(folder, file.Name)); err != nil || !bytes.Equal(content, file.Content) {
			wrong = append(wrong, file.Name)
		}
	}
	for _, e := range entries {
		if !slices.ContainsFunc(files, func(file File) bool { return file.Name == e.Name() }) {
			wrong = append(wrong, e.Name())
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %s was published with other content (%v); what was published is not changed: move the folder away to publish it anew", fs.ErrExist, folder, wrong)
	}
	return nil
}
