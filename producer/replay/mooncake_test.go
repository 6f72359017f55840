package replay

import (
	"fmt"
	"testing"

	"github.com/inferlake/inferlake/stream"
)

// The hit ratios of the traces, as the events of a replay give them: tokens from the finished events, blocks from
// the summary. Admission on one replica is in order of arrival, so both cache orders agree.
func TestMooncakeHits(t *testing.T) {
	for _, c := range []struct {
		file, cache, order string
		replicas           int
		tokens, blocks     string // %
	}{
		{"synthetic_trace.jsonl", "", "", 1, "65.043", "63.960"},
		{"synthetic_trace.jsonl", "infinite", "arrival", 4, "65.043", "63.960"},
		{"synthetic_trace.jsonl", "1000", "", 1, "", "8.246"},
		{"synthetic_trace.jsonl", "10000", "", 1, "", "42.349"},
		{"synthetic_trace.jsonl", "30000", "arrival", 1, "", "62.421"},
		{"synthetic_trace.jsonl", "off", "", 1, "0.000", "0.000"},
		{"conversation_trace.head7000.jsonl", "", "", 1, "35.318", "34.678"},
	} {
		check := newChecker(t)
		o := Options{Format: "mooncake", File: traces(t, "mooncake", c.file), Cache: c.cache, CacheOrder: c.order, Replicas: c.replicas}
		s := play(t, o, check.event)
		tokens := fmt.Sprintf("%.3f", 100*float64(check.sum(stream.RequestCachedLocalTokens))/float64(check.sum(stream.RequestPromptTokens)))
		blocks := fmt.Sprintf("%.3f", 100*float64(s.BlockHits)/float64(s.Blocks))
		if c.tokens != "" && tokens != c.tokens || blocks != c.blocks {
			t.Errorf("%+v: %s %% of tokens, %s %% of blocks", c, tokens, blocks)
		}
		if s.CachedTokens != check.sum(stream.RequestCachedLocalTokens) || s.Outcomes[stream.OutcomeOK] != s.Rows {
			t.Errorf("%+v: summary %+v", c, s)
		}
	}
}
