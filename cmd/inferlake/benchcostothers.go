package main

import (
	"context"

	"github.com/inferlake/inferlake/sql"
	"github.com/inferlake/inferlake/warehouse"
)

// toldLeg is what other tools' formulas look at; seconds and tokens.
type toldLeg struct {
	prompt, output             float64
	prefill, tpot, decode, e2e float64
}

// costFormulas are those of other tools and of common practice: the weight of a leg's input and of its output. Where scaled, weights
// are shares of the GPU time that was used; else they are seconds of it.
var costFormulas = []struct {
	name   string
	scaled bool
	weigh  func(l toldLeg, all legSums) (input, output float64)
}{
	// The time of all prefills against that plus the time of a single output token of each request divides the cost into input and
	// output, each spread by tokens: opencost's inference cost tracking.
	{"OpenCost", true, func(l toldLeg, all legSums) (float64, float64) {
		share := all.prefill / (all.prefill + all.tpot)
		return share * l.prompt / all.prompt, (1 - share) * l.output / all.output
	}},
	// A price a second of the request's wall clock, whatever else ran: LiteLLM's input_cost_per_second.
	{"LiteLLM, price per second", false, func(l toldLeg, _ legSums) (float64, float64) { return l.prefill, l.e2e - l.prefill }},
	{"flat price per token", true, func(l toldLeg, all legSums) (float64, float64) {
		return l.prompt / (all.prompt + all.output), l.output / (all.prompt + all.output)
	}},
	{"share of Σ latency", true, func(l toldLeg, all legSums) (float64, float64) {
		return l.prefill / all.e2e, (l.e2e - l.prefill) / all.e2e
	}},
}

// legSums sums legs.
type legSums toldLeg

// otherFormulas measures them on the legs that truly took GPU time.
func otherFormulas(ctx context.Context, house *warehouse.Warehouse, known *costTruth) (errors []costError, err error) {
	rows, err := house.Rows(ctx, sql.Statement("told_requests"), nil)
	if err != nil {
		return nil, err
	}
	legs := map[legKey]toldLeg{}
	var all legSums
	for _, row := range rows {
		key, l := keyOf(row), toldLegOf(row)
		if _, took := known.requests[key]; !took {
			continue
		}
		legs[key] = l
		all = legSums{all.prompt + l.prompt, all.output + l.output, all.prefill + l.prefill, all.tpot + l.tpot, all.decode + l.decode, all.e2e + l.e2e}
	}
	used := known.sum().all
	for _, f := range costFormulas {
		said := map[legKey]legCost{}
		unit := 1e9
		if f.scaled {
			unit = used
		}
		for key, l := range legs {
			input, output := f.weigh(l, all)
			said[key] = legCost{input: input * unit, all: (input + output) * unit}
		}
		errors = append(errors, known.compare(f.name, said))
	}
	return errors, nil
}

func toldLegOf(row map[string]any) toldLeg {
	number := func(name string) float64 {
		switch v := row[name].(type) {
		case int64:
			return float64(v)
		case float64:
			return v
		}
		return 0
	}
	return toldLeg{prompt: number("prompt_tokens"), output: number("output_tokens"), prefill: number("prefill_seconds"),
		tpot: number("tpot_seconds"), decode: number("decode_seconds"), e2e: number("e2e_seconds")}
}
