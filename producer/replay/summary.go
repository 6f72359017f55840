package replay

import "github.com/inferlake/inferlake/stream"

// Summary says what a replay came to. Requests, tokens and blocks are those of the rows played.
type Summary struct {
	Producer, Boot string

	Rows     int64 // played
	Events   int64 // handed on
	Outcomes map[stream.Outcome]int64

	PromptTokens int64
	CachedTokens int64 // of prompts, found in the prefix cache
	OutputTokens int64
	Blocks       int64 // of prompts, with hashes
	BlockHits    int64 // leading blocks found, the last one also when its tokens are computed again

	From, To int64 // ns since 1970: first and last event
}

// book adds a request that ended.
func (s *Summary) book(l *live) {
	s.Rows++
	s.Outcomes[l.end.Outcome]++
	s.PromptTokens += max(0, l.end.Prompt)
	s.CachedTokens += max(0, l.end.Cached)
	s.OutputTokens += max(0, l.end.Output)
	s.Blocks += l.blocks
	s.BlockHits += l.hits
}
