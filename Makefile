# Go, a C compiler and make are all that the targets need, unless they say so.
.DEFAULT_GOAL := help
.PHONY: help build demo test check test-pure test-duckdb generate fuzz simulate sabotage torture bench clean

TAGS    := duckdb_arrow
# The packages whose tests link DuckDB, which takes about a minute each, and all others.
LINKED  := ./cmd/inferlake ./warehouse/...
PURE     = $$(go list ./... | grep -vE '/(cmd/inferlake$$|warehouse(/|$$))')
FUZZTIME ?= 30s
COUNT    ?= 20
# Tests of the warehouse that put rows into the tables themselves: how rows are loaded makes no difference to them.
UNLOADED := ^(TestReports|TestChartsHaveTheirColumns|TestEveryFigureHasItsWindowAndN|TestOneChangeMovesItsCells|TestASourceThatIsGone|TestCostChange.*|TestDaysAddUp|TestSchemaPage|TestReportsPage|TestLayersHaveColumns)$$
KILLS    ?= 100
BAD      ?= 2000
SEEDS    ?= 20000

help: ## print this
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | awk -F'\t' '{ printf "  make %-10s %s\n", $$1, $$2 }'

build: ## build bin/inferlake
	@go build -tags $(TAGS) -o bin/inferlake ./cmd/inferlake

demo: build ## build, then show the whole product on a made-up day of a fleet
	@bin/inferlake demo

test: check test-pure test-duckdb ## all checks and tests

check: # formatting and vet, with and without Arrow
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted; run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	@go vet ./...
	@go vet -tags $(TAGS) ./...

test-pure: # everything that does not link DuckDB, under the race detector
	@go test -race -timeout 20m $(PURE)

test-duckdb: build # the rest: loading through Arrow, then through the appender
	@INFERLAKE_BINARY=$(CURDIR)/bin/inferlake go test -timeout 40m -tags $(TAGS) $(LINKED)
	@go test -timeout 40m -skip '$(UNLOADED)' ./warehouse/...

generate: ## write generated code and documentation anew; needs protoc
	@go generate ./...
	@go test ./stream -run TestEventsPage -update
	@go test ./aggregate -run TestDecisionsPage -update

fuzz: ## run every fuzz target for FUZZTIME=30s
	@go list -f '{{if .TestGoFiles}}{{.ImportPath}}{{end}}{{if .XTestGoFiles}} {{.ImportPath}}{{end}}' ./stream/... ./aggregate ./warehouse/... | xargs -n1 | sort -u | while read -r package; do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
	  done; \
	done

simulate: ## fold SEEDS=20000 simulated days of mishaps
	@INFERLAKE_SEEDS=$(SEEDS) go test -count 1 -timeout 6h -run '^TestSimulation$$' -v ./aggregate

sabotage: ## make deliberate mistakes in the fold and the warehouse; each must turn its check red
	@INFERLAKE_SABOTAGE=1 go test -count 1 -timeout 2h -run '^TestSabotages$$' -v ./aggregate

torture: build simulate sabotage ## crashes and faults at length: COUNT=20 rounds, KILLS=100 kills under load, BAD=2000 bad records
	@$(MAKE) --no-print-directory fuzz FUZZTIME=60s
	@INFERLAKE_TORTURE=$(COUNT) INFERLAKE_TRIALS=$(COUNT) go test -count 1 -timeout 6h -skip '^TestSimulation$$' ./cmd/inferlake/proof ./aggregate
	@go test -race -count $(COUNT) -timeout 2h -run 'Kill|Restart|Fault' ./stream/...
	@go test -tags $(TAGS) -count $(COUNT) -timeout 2h -run 'Surviv|Kill|Crash|Lease|State' ./warehouse/...
	@INFERLAKE_BINARY=$(CURDIR)/bin/inferlake INFERLAKE_KILLS=$(KILLS) go test -tags $(TAGS) -count 1 -timeout 6h -run Kill ./cmd/inferlake
	@INFERLAKE_BINARY=$(CURDIR)/bin/inferlake INFERLAKE_KILLS=$(KILLS) INFERLAKE_CRASH_BROKER=apache INFERLAKE_BROKER_KILLS=10 go test -tags $(TAGS) -count 1 -timeout 6h -run KilledUnderLoad ./cmd/inferlake
	@INFERLAKE_BAD=$(BAD) go test -tags $(TAGS) -count 1 -timeout 1h -run BadRecords ./cmd/inferlake

bench: ## run the benchmarks
	@go test -run '^$$' -bench . -benchmem $(PURE)
	@go test -tags $(TAGS) -run '^$$' -bench . -benchmem $(LINKED)

clean: ## remove what was built here
	@rm -rf bin .cache examples/java/target
