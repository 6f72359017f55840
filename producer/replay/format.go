package replay

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/inferlake/inferlake/producer/lifecycle"
	"github.com/inferlake/inferlake/stream"
)

// Format is one kind of file.
type Format struct {
	Name string
	Doc  string

	Dated       bool  // its times are dates; else they count from a start
	Measured    bool  // its latencies were measured: no model runs
	BlockTokens int64 // tokens of a block of its prefix hashes, 0: it has none

	read func(f *file, each func(*Row) error) error
	play func(p *player, folder string) error // a folder of several files; instead of read
}

// Formats lists the formats known.
func Formats() []Format {
	return []Format{
		{Name: "azure", Doc: "Azure LLM inference traces 2023 to 2025, CSV", Dated: true, read: readAzure},
		{Name: "mooncake", Doc: "Mooncake FAST'25 traces, JSON lines", BlockTokens: 512, read: readMooncake},
		{Name: "burstgpt", Doc: "BurstGPT traces, CSV", read: readBurstGPT},
		{Name: "bailian", Doc: "Qwen Bailian usage traces, JSON lines", BlockTokens: 16, read: readBailian},
		{Name: "bench", Doc: "results of llmperf and genai-bench, JSON: measured latencies", Measured: true, read: readBench},
		{Name: "vllmrun", Doc: "a folder with the three logs of a BurstGPT vLLM run", Measured: true, play: playVLLMRun},
	}
}

func formatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("replay: no format %q; there are %s", name, strings.Join(names, ", "))
}

// Row is one request as a file tells it.
type Row struct {
	Line           int64 // in the file, from 1; of a JSON array the index of the element, from 1
	At             int64 // arrival, ns since 1970, or since the start where the format has no dates; or NoTime
	Prompt, Output int64 // tokens, or lifecycle.Unknown; the model runs less than one as one

	Blocks       []uint64
	Model, Class string
	Session      int64 // hash, 0: none
	Images       int64 // or lifecycle.Unknown
	Measured     *Measured
	index        int64 // of the row among those read, from 1
}

// NoTime is the arrival of a row that tells none.
const NoTime = math.MinInt64

// Measured is what a row tells of its answer; the model does not run for it.
type Measured struct {
	TTFT, E2E  int64 // ns, or lifecycle.Unknown
	Outcome    stream.Outcome
	HTTPStatus int64 // 0: none
}

// Bounds of what a row may say: beyond them it is an error, not a number to reckon with.
const (
	maxTokens  = 1 << 40
	maxSeconds = 1 << 32 // since a start
	maxLatency = 1 << 26 // s
	maxYear    = 2200
)

// newRow is a row of which nothing is known.
func newRow(line int64) *Row {
	return &Row{Line: line, At: NoTime, Prompt: lifecycle.Unknown, Output: lifecycle.Unknown, Images: lifecycle.Unknown}
}

// file is a file being read, for the errors.
type file struct {
	name string
	io.Reader
}

// errorf is an error at a line, which names the file, the line and what is wrong.
func (f *file) errorf(line int64, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", f.name, line, fmt.Errorf(format, args...))
}
