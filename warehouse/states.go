package warehouse

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/stream/fault"

	text "github.com/inferlake/inferlake/sql"
)

// stateFolder holds the snapshots of the folds' states, a file each.
type stateFolder string

// state names a snapshot: where it was taken, and what it holds.
type state struct {
	stream.TopicPartition
	offset int64
	hash   string
}

const longestTopic = 100 // characters of a topic in a file name; the hash tells longer ones apart

func (s state) file() string {
	topic := url.PathEscape(s.Topic)
	topic = topic[:min(len(topic), longestTopic)]
	return topic + "-" + strconv.Itoa(int(s.Partition)) + "-" + strconv.FormatInt(s.offset, 10) + "-" + s.hash + ".state"
}

func hashState(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// write makes the content durable under the state's name.
func (f stateFolder) write(s state, content []byte) error {
	path := filepath.Join(string(f), s.file())
	if err := writeDurably(path, content); err != nil {
		return fmt.Errorf("cannot keep the state of %s/%d at offset %d: %w", s.Topic, s.Partition, s.offset, err)
	}
	fault.Point(fault.AfterSnapshotFile)
	return nil
}

func writeDurably(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "writing-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // gone once it is renamed
	half := len(content) / 2
	_, err = file.Write(content[:half])
	fault.Point(fault.InSnapshotFile)
	_, more := file.Write(content[half:])
	if err = errors.Join(err, more, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// read returns the content of a state whose file is whole.
func (f stateFolder) read(s state) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(string(f), s.file()))
	if err != nil {
		return nil, fmt.Errorf("cannot read the state of %s/%d at offset %d: %w", s.Topic, s.Partition, s.offset, err)
	}
	if hashState(content) != s.hash {
		return nil, fmt.Errorf("the state of %s/%d at offset %d is damaged: its content has another hash", s.Topic, s.Partition, s.offset)
	}
	return content, nil
}

func (f stateFolder) remove(states []state) {
	for _, s := range states {
		os.Remove(filepath.Join(string(f), s.file()))
	}
}

// sweepStates removes the files that no snapshot names: what a crash or a superseded owner left.
func (w *Warehouse) sweepStates(ctx context.Context, conn *sql.Conn) error {
	named := map[string]bool{}
	err := each(ctx, conn, text.Statement("all_snapshots"), nil, func(scan scanner) error {
		var s state
		err := scan(&s.Topic, &s.Partition, &s.offset, &s.hash)
		named[s.file()] = true
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot list the snapshots: %w", err)
	}
	entries, err := os.ReadDir(string(w.states))
	if err != nil {
		return fmt.Errorf("cannot list the states: %w", err)
	}
	for _, e := range entries {
		if !named[e.Name()] {
			os.Remove(filepath.Join(string(w.states), e.Name()))
		}
	}
	return nil
}
