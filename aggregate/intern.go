package aggregate

import (
	"strings"

	"github.com/inferlake/inferlake/stream"
)

// internerSize bounds the texts an interner remembers; it forgets them all when full.
const internerSize = 1 << 16

// interner keeps one copy of texts that recur, such as model names. It is a cache: forgetting changes nothing.
type interner struct {
	texts map[string]string
}

// unique are the texts that hardly recur: remembering them would only fill the interner.
func unique(f stream.Field) bool {
	return f == stream.RequestRequestID || f == stream.RequestJoinKey || f == stream.RequestTraceID
}

// keep returns a copy of s that may be kept.
func (in *interner) keep(f stream.Field, s string) string {
	if unique(f) {
		return strings.Clone(s)
	}
	return in.intern(s)
}

func (in *interner) intern(s string) string {
	if kept, ok := in.texts[s]; ok {
		return kept
	}
	if in.texts == nil || len(in.texts) >= internerSize {
		in.texts = make(map[string]string)
	}
	s = strings.Clone(s)
	in.texts[s] = s
	return s
}
