package replay

import (
	"testing"

	"github.com/inferlake/inferlake/stream"
)

func TestAzureRows(t *testing.T) {
	rows(t, readAzure, `
# 2023: seven digits, no zone, CRLF, no final newline
TIMESTAMP,ContextTokens,GeneratedTokens\r
2023-11-16 18:15:46.6805900,374,44\r
2023-11-16 18:15:50.9951690,396,109
>
line 2 at 1700158546680590000 prompt 374 output 44
line 3 at 1700158550995169000 prompt 396 output 109

# 2024: a zone
TIMESTAMP,ContextTokens,GeneratedTokens
2024-05-10 00:00:00.009930+00:00,2162,5
2024-05-10 02:00:00+02:00,1,1
>
line 2 at 1715299200009930000 prompt 2162 output 5
line 3 at 1715299200000000000 prompt 1 output 1

# 2025: Z, and images before the tokens
TIMESTAMP,NumImages,ContextTokens,GeneratedTokens
2024-10-15T12:00:00.269Z,0,770,491
2024-10-15T12:00:05.819Z,16,949,126
>
line 2 at 1728993600269000000 prompt 770 output 491 images 0
line 3 at 1728993605819000000 prompt 949 output 126 images 16

# what is wrong is named with its line
TIMESTAMP,ContextTokens
>
error trace:1: no column "GeneratedTokens" in the header "TIMESTAMP,ContextTokens"

TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46,1,2
yesterday,1,2
>
line 2 at 1700158546000000000 prompt 1 output 2
error trace:3: TIMESTAMP "yesterday": no time in any of the layouts known

TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46,1,-2
>
error trace:2: GeneratedTokens "-2": must be a whole number, not negative
`)
}

// The whole conversation trace: every row becomes five events, in order of time, numbered without gaps.
func TestAzureTotals(t *testing.T) {
	o := Options{Format: "azure", File: traces(t, "azure", "AzureLLMInferenceTrace_conv.csv")}
	c := newChecker(t)
	s := play(t, o, c.event)
	if s.Rows != 19_366 || s.PromptTokens != 22_361_870 || s.OutputTokens != 4_088_665 || s.Outcomes[stream.OutcomeOK] != s.Rows {
		t.Errorf("summary %+v", s)
	}
	if c.phases[stream.PhaseReceived] != s.Rows || c.phases[stream.PhaseFinished] != s.Rows || c.phases[stream.PhaseFirstToken] != s.Rows {
		t.Errorf("phases %v", c.phases)
	}
	if got := c.sum(stream.RequestPromptTokens); got != s.PromptTokens {
		t.Errorf("prompt tokens of the events: %d", got)
	}
	if span := s.To - s.From; span != 3_504_180_493_000+777_000 {
		t.Errorf("span %d ns", span)
	}
	if c.kinds[stream.KindEngine] != 351 || c.stepTokens != s.PromptTokens {
		t.Errorf("kinds %v, prompt tokens of the passes %d", c.kinds, c.stepTokens)
	}
}

// The other years' files.
func TestAzureYears(t *testing.T) {
	for _, name := range []string{"azure2024_code.notebook10rows.csv", "azure2024_conv.notebook10rows.csv", "azure2025_multimodal.notebook10rows.csv"} {
		c := newChecker(t)
		o := Options{Format: "azure", File: traces(t, "azure", name), SampleInterval: 1 << 40 * 1000}
		if s := play(t, o, c.event); s.Rows != 10 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
