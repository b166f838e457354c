# `make` lists what there is. Everything needs only Go, except `make race`,
# which needs a C compiler because Go's race detector does.

GO       ?= go
FUZZTIME ?= 200000x

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  = -s -w -X lukasa.dev/internal/cli.version=$(VERSION)

# The product is pure Go; only the race detector turns this on again.
export CGO_ENABLED := 0

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## take the example session in, straight from the checkout
	$(GO) run ./cmd/lukasa ingest examples/session.ndjson

.PHONY: build
build: ## build bin/lukasa
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/lukasa

.PHONY: lukasa-bench
lukasa-bench: ## build bin/lukasa-bench, which measures speed and answers
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/lukasa-bench

.PHONY: man
man: ## write the manual pages into bin/man1
	$(GO) run ./cmd/lukasa man bin/man1

.PHONY: test
test: ## run all tests
	$(GO) test ./...

.PHONY: race
race: ## run all tests under the race detector
	CGO_ENABLED=1 $(GO) test -race -tags pebblegozstd -timeout 60m ./...

.PHONY: arm
arm: ## run the tests of vectors as on ARM; needs qemu-aarch64 of qemu-user, unless this is one
	GOARCH=arm64 $(GO) test -exec "$$(command -v qemu-aarch64)" ./internal/index/vector

.PHONY: check
check: ## format, vet, staticcheck, floors, tidy, other platforms, vulnerabilities
	@.ci/check

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME executions each (200000x)
	@FUZZTIME=$(FUZZTIME) .ci/fuzz

.PHONY: bench
bench: ## measure decoding beside json/v2, the journal beside Pebble, words beside bleve, and the rest
	$(GO) test -run '^$$' -bench DecodeRatio -benchtime 5s ./hmx
	$(GO) test -run '^$$' -bench 'Event|NDJSON|SSE|Write|Push' -benchmem ./hmx/...
	$(GO) test -run '^$$' -bench 'Parse/event|Canonical/event' -benchmem ./internal/canon
	$(GO) test -run '^$$' -bench 'Context|Find|Read|O200k' -benchmem ./internal/engine ./internal/kind ./internal/tokens
	$(GO) run ./cmd/lukasa-bench journal
	$(GO) test -run '^$$' -bench Bleve -benchtime 1x ./internal/bench
	$(GO) run ./cmd/lukasa-bench context
	$(GO) run ./cmd/lukasa-bench recall

.PHONY: short
short: ## run the tests in their smallest sizes, in about a minute
	$(GO) test -short ./...

.PHONY: torture
torture: ## crash 10,000 clones, kill 1,000 processes, fault every call, flip bits; 10,000 random boards, 100,000 signed chains
	LUKASA_TEST_SIZE=full $(GO) test -count=1 -timeout 30m ./internal/scope ./internal/journal ./internal/bundle ./internal/pack
	LUKASA_TEST_SIZE=full $(GO) test -count=1 -timeout 180m ./internal/engine
	LUKASA_TEST_SIZE=full $(GO) test -count=1 -timeout 120m ./internal/torture

.PHONY: nightly
nightly: ## run everything in full: all tests, race detector, every fuzz target, all agents
	LUKASA_TEST_SIZE=full $(GO) test -count=1 -timeout 240m ./...
	$(GO) test -tags purego -run 'Golden|Kernel|Sum|Near|SameEverywhere' ./internal/embed ./internal/index/vector ./internal/engine
	$(MAKE) race
	$(MAKE) fuzz
	$(MAKE) agents

.PHONY: agents
agents: ## run Claude Code, Codex, Gemini CLI and OpenCode from npm through all scenarios; SCENARIO=rule runs one
	LUKASA_NPM=1 $(GO) test -count=1 -v -timeout 60m -run 'TestAgents/.*/^$(or $(SCENARIO),.*)$$' ./internal/agents/agentstest

.PHONY: clean
clean: ## remove what was built
	rm -rf bin
