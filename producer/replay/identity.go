package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// producerOf names the producer after the content of the files, in their order.
func producerOf(files ...string) (string, error) {
	h := sha256.New()
	for _, name := range files {
		if err := digest(h, name); err != nil {
			return "", fmt.Errorf("replay: cannot read: %w", err)
		}
	}
	return "replay-" + hex.EncodeToString(h.Sum(nil))[:16], nil
}

func digest(to io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

// bootOf names the run after the options that shape its events.
func bootOf(effective string) string {
	sum := sha256.Sum256([]byte(effective))
	return hex.EncodeToString(sum[:])[:16]
}
