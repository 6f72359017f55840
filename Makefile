# Go, a C compiler and make are all that the targets need, unless they say so.
.DEFAULT_GOAL := help
.PHONY: help build demo test check test-pure test-duckdb generate fuzz torture bench clean

TAGS    := duckdb_arrow
LINKED  := ./cmd/... ./warehouse/...# packages whose tests link DuckDB, which takes about a minute each
PURE     = $$(go list ./... | grep -vE '/inferlake/(cmd|warehouse)(/|$$)')
FUZZTIME ?= 30s
COUNT    ?= 20

help: ## print this
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | awk -F'\t' '{ printf "  make %-10s %s\n", $$1, $$2 }'

build: ## build bin/inferlake
	@go build -tags $(TAGS) -o bin/inferlake ./cmd/inferlake

demo: build ## build, then show the whole product on a made-up day
	@bin/inferlake demo

test: check test-pure test-duckdb ## all checks and tests

check: # formatting and vet, with and without Arrow
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted; run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	@go vet ./...
	@go vet -tags $(TAGS) ./...

test-pure: # everything that does not link DuckDB, under the race detector
	@go test -race $(PURE)

test-duckdb: # the rest: loading through Arrow, then through the appender
	@go test -tags $(TAGS) $(LINKED)
	@go test ./warehouse/...

generate: ## write generated code and documentation anew; needs protoc
	@go generate ./...
	@go test ./stream -run TestEventsPage -update

fuzz: ## run every fuzz target for FUZZTIME=30s
	@go list -f '{{if .TestGoFiles}}{{.ImportPath}}{{end}}{{if .XTestGoFiles}} {{.ImportPath}}{{end}}' ./stream/... | xargs -n1 | sort -u | while read -r package; do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
	  done; \
	done

torture: ## run the tests of crashes and faults COUNT=20 times
	@go test -race -count $(COUNT) -run 'Surviv|Snapshot|Kill|Restart|Fault' ./stream/... ./aggregate/...
	@go test -tags $(TAGS) -count $(COUNT) -run 'Surviv|Kill|Crash|Lease|State' ./warehouse/...

bench: ## run the benchmarks
	@go test -run '^$$' -bench . -benchmem $(PURE)
	@go test -tags $(TAGS) -run '^$$' -bench . -benchmem $(LINKED)

clean: ## remove what was built here
	@rm -rf bin .cache
