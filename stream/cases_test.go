package stream_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cases are public bug reports, and facts about our own stack, that Inferlake is right about, each with the tests that hold
// it to that: functions, or files of text cases. A test says the case's name where it stands.
var cases = []struct {
	name, what string
	tests      []string
}{
	{"M01", "cached prompt tokens cost once", []string{"sql/testdata/api_costs.txt"}},
	{"M03", "tokens that a cache was given cost once", []string{"sql/testdata/api_costs.txt", "aggregate/testdata/cases.txt"}},
	{"M04", "two conventions, one cost", []string{"sql/testdata/api_costs.txt", "aggregate/testdata/cases.txt"}},
	{"M06", "no model, no price: unknown, not 0", []string{"sql/testdata/api_costs.txt"}},
	{"M08", "a stream that was cut keeps its tokens", []string{"aggregate/testdata/cases.txt"}},
	{"M09", "aborted requests tie with the engine's counter", []string{"aggregate/testdata/cases.txt", "sql/testdata/reconciliation.txt"}},
	{"M10", "empty ids are not one request", []string{"aggregate/testdata/cases.txt"}},
	{"M13", "a service tier is the request's, not today's", []string{"sql/testdata/api_costs.txt"}},
	{"M14", "prices above a number of tokens", []string{"sql/testdata/api_costs.txt"}},
	{"M16", "where today ends", []string{"sql/testdata/cost_cases.txt"}},
	{"M18", "a device's energy counts once", []string{"sql/testdata/energy.txt", "sql/testdata/mig.txt"}},
	{"M19", "allocation and usage are two bases, and tie", []string{"sql/testdata/cost_cases.txt"}},
	{"M20", "the parts cost what the node costs", []string{"sql/testdata/cost_cases.txt"}},
	{"M21", "prices come back as they were configured", []string{"TestRead", "warehouse/catalogue/testdata/lists.txt"}},
	{"M22", "no GPU, no cost", []string{"sql/testdata/cost_cases.txt"}},
	{"M23", "a quarter of a GPU is a quarter", []string{"sql/testdata/cost_cases.txt"}},
	{"M25", "money stays DECIMAL", []string{"sql/testdata/cost_cases.txt"}},
	{"M26", "casts round right", []string{"sql/testdata/cost_cases.txt"}},
	{"M27", "an amount is not its raw integer", []string{"TestPriceVersions"}},
	{"M29", "an amount is the decimal that was written", []string{"TestPriceVersions", "TestRead", "warehouse/catalogue/testdata/lists.txt"}},
	{"M30", "cache writes of both lifetimes count", []string{"sql/testdata/api_costs.txt"}},
	{"M31", "a failed commit is repeated without doubling", []string{"TestACommitThatFailsThreeTimes", "TestFailedBatchIsRetried"}},
	{"M32", "positions are stored with the rows", []string{"TestKilledProcessesLoseAndDoubleNothing", "TestKilledUnderLoad"}},
	{"M33", "restarts double nothing", []string{"aggregate/testdata/cases.txt", "TestKilledUnderLoad"}},
	{"M35", "what was polled and not stored is read again", []string{"TestKilledUnderLoad"}},
	{"M36", "without a position the log is read from its start", []string{"TestReadWhatWasWritten"}},
	{"M37", "records that retention took are a gap", []string{"TestRetentionPassedThePosition"}},
	{"M38", "an answer that lies doubles nothing", []string{"TestAnAnswerThatLiesDoublesNothing"}},
	{"M39", "stale records are not folded", []string{"TestReadWhatWasWritten", "TestOldLeaseIsRefused"}},
	{"W02", "cached tokens beyond the prompt", []string{"aggregate/testdata/cases.txt", "sql/testdata/prefix_cache.txt"}},
	{"W03", "no hits is not the same as not known", []string{"sql/testdata/prefix_cache.txt", "sql/testdata/prefill_decode.txt"}},
	{"W04", "a usage in per cent is refused", []string{"stream/testdata/json.txt", "sql/testdata/kv_cache.txt"}},
	{"W05", "how many have a TTFT", []string{"aggregate/testdata/cases.txt", "sql/testdata/latency.txt"}},
	{"W06", "a clock that stands still", []string{"aggregate/testdata/cases.txt", "sql/testdata/latency.txt"}},
	{"W08", "an end before its start", []string{"aggregate/testdata/cases.txt"}},
	{"W09", "negative durations are left out, not clamped", []string{"aggregate/testdata/cases.txt", "sql/testdata/latency.txt"}},
	{"W10", "what success is", []string{"aggregate/testdata/cases.txt", "TestBadRecords"}},
	{"W11", "the TTFT is no inter-token latency", []string{"checkFinished"}},
	{"W13", "unknown usage is not 0", []string{"aggregate/testdata/cases.txt", "sql/testdata/throughput.txt", "sql/testdata/lengths.txt"}},
	{"W15", "an adapter is not its base model", []string{"aggregate/testdata/cases.txt", "sql/testdata/model_versions.txt"}},
	{"W16", "the TTFT of the gateway and of the engine", []string{"aggregate/testdata/cases.txt", "sql/testdata/slow_requests.txt"}},
	{"W20", "absent is NULL", []string{"aggregate/testdata/cases.txt", "TestSampleWindowColumns", "sql/testdata/queue_batch.txt", "TestReportsRecomputed", "sql/testdata/gpu.txt", "sql/testdata/nodes.txt", "TestASourceThatIsGone"}},
	{"W22", "a count that is said again is not more", []string{"aggregate/testdata/cases.txt"}},
	{"W23", "GPUs are their holders' at the time, or nobody's", []string{"sql/testdata/capacity.txt"}},
	{"W25", "a GPU that lacks a field", []string{"sql/testdata/gpu.txt"}},
	{"W26", "windows before 1970", []string{"TestWindowOf"}},
	{"W28", "late records count, and are counted", []string{"aggregate/testdata/cases.txt"}},
	{"W30", "without partitions nothing is complete", []string{"aggregate/testdata/cases.txt", "sql/testdata/horizon.txt"}},
	{"W31", "idle neither too early nor too late", []string{"TestIdleNeitherTooEarlyNorTooLate"}},
	{"W32", "times in other zones", []string{"TestEpochsInOtherZones"}},
	{"W34", "percentiles never fall", []string{"TestQuantiles", "TestPercentiles", "sql/testdata/latency_over_time.txt"}},
	{"W35", "merged sketches keep all counts", []string{"TestMerge", "sql/testdata/latency_over_time.txt"}},
	{"W36", "merging into an empty sketch", []string{"TestMerge", "sql/testdata/latency_over_time.txt"}},
	{"W38", "whole numbers are exact", []string{"stream/testdata/json.txt"}},
	{"W39", "no value becomes another", []string{"TestBadValueInColumns", "TestEveryColumnArrives", "TestBadRecords"}},
	{"W40", "one bad text costs one row", []string{"TestBadTextInColumns", "TestBadBatchFailsAlone", "TestBadRecords"}},
	{"W43", "finished and running tie with the engine's counter", []string{"aggregate/testdata/cases.txt", "sql/testdata/reconciliation.txt"}},
	{"W44", "one NaN poisons nothing", []string{"stream/testdata/json.txt", "TestBadRecords"}},
	{"W45", "where a day begins", []string{"sql/testdata/days.txt"}},
	{"C03", "delete and insert, then a kill", []string{"TestKilledProcessesLoseAndDoubleNothing"}},
	{"C04", "the file opens again by itself", []string{"TestKilledProcessesLoseAndDoubleNothing"}},
	{"C05", "the start checks what no index guards", []string{"TestBrokenRowsAreRefusedAtStart"}},
	{"C06", "one writer, the last version wins", []string{"TestReplacedRowsGo", "TestPartitionsShareATransaction"}},
	{"C07", "loading leaks nothing", []string{"TestLoadingLeaksNothing"}},
	{"C09", "a batch that unpacks to 1 GiB", []string{"TestABatchThatCannotBeUnpackedIsPassedOver", "TestBadRecords"}},
	{"C14", "our own lock", []string{"TestSecondOpenNamesTheOwner"}},
	{"C15", "the writer's settings", []string{"TestSettings"}},
	{"S09", "reports while it runs", []string{"TestServe", "TestSecondOpenNamesTheOwner"}},
	{"U06", "every figure has its window and its n", []string{"TestEveryFigureHasItsWindowAndN"}},
}

// Every case has its tests, which say its name.
func TestEveryCaseHasATest(t *testing.T) {
	texts := map[string]string{}
	for _, s := range sources(t) {
		if s.test() {
			texts[s.file] = readText(t, s.file)
		}
	}
	for _, c := range cases {
		for _, test := range c.tests {
			where := comment(texts, test)
			if strings.Contains(test, "/") {
				where = readText(t, test)
			}
			if !strings.Contains(where, c.name) {
				t.Errorf("%s (%s): %s is missing, or does not name it", c.name, c.what, test)
			}
		}
	}
	if !slices.IsSortedFunc(cases, func(a, b struct {
		name, what string
		tests      []string
	}) int {
		return strings.Compare(order(a.name), order(b.name))
	}) {
		t.Error("the cases are not in order")
	}
}

// order sorts by severity, as the cases' letters do.
func order(name string) string { return string(rune('0'+strings.Index("MWCSU", name[:1]))) + name[1:] }

// comment is what stands above a function.
func comment(texts map[string]string, name string) string {
	for _, text := range texts {
		if above, _, ok := strings.Cut(text, "\nfunc "+name+"("); ok {
			return above[strings.LastIndex(above, "\n\n")+1:]
		}
	}
	return ""
}

func readText(t *testing.T, file string) string {
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
