package replay

import (
	"encoding/binary"
	"hash/fnv"
)

// readBailian reads the traces of https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon: times in seconds
// from the start, a hash for each 16 tokens of the prompt, and the turns of a chat, each naming the one before.
func readBailian(f *file, each func(*Row) error) error {
	type line struct {
		ChatID       *int64   `json:"chat_id"`
		ParentChatID *int64   `json:"parent_chat_id"`
		Timestamp    *float64 `json:"timestamp"`
		InputLength  *int64   `json:"input_length"`
		OutputLength *int64   `json:"output_length"`
		Type         string   `json:"type"`
		HashIDs      []uint64 `json:"hash_ids"`
	}
	roots := chats{}
	return eachLine(f, func(n int64, l *line) error {
		if l.Timestamp == nil || !(*l.Timestamp >= 0 && *l.Timestamp < maxSeconds) {
			return f.errorf(n, "no timestamp, or one out of range")
		}
		if err := needLengths(f, n, l.InputLength, l.OutputLength); err != nil {
			return err
		}
		row := newRow(n)
		row.At, row.Prompt, row.Output, row.Blocks, row.Class = nanos(*l.Timestamp), *l.InputLength, *l.OutputLength, l.HashIDs, l.Type
		if l.ChatID != nil {
			row.Session = sessionHash("bailian", roots.root(*l.ChatID, l.ParentChatID))
		}
		return each(row)
	})
}

// chats maps a turn of a chat to its first one.
type chats map[int64]int64

func (c chats) root(id int64, parent *int64) int64 {
	root := id
	if parent != nil && *parent >= 0 {
		root = *parent
		if r, ok := c[*parent]; ok {
			root = r
		}
	}
	c[id] = root
	return root
}

// sessionHash is the hash of a session's number, FNV-1a with the format's name as key.
func sessionHash(format string, id int64) int64 {
	h := fnv.New64a()
	h.Write([]byte(format))
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
	return int64(h.Sum64())
}
