# `make` lists what there is. Everything needs only Go, except `make race`,
# which needs a C compiler because Go's race detector does.

GO          ?= go
FUZZTIME    ?= 30s
# By default Go spends up to a minute on making each new input smaller, which in a
# short run is all it does.
FUZZMIN     ?= 10x
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
VULNDB      ?= https://vuln.go.dev

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  = -s -w -X lukasa.dev/internal/cli.version=$(VERSION)

# The product is pure Go; only the race detector turns this on again.
export CGO_ENABLED := 0

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## check the example session, straight from the checkout
	$(GO) run ./cmd/lukasa validate examples/session.ndjson

.PHONY: build
build: ## build bin/lukasa
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/lukasa

.PHONY: test
test: ## run all tests
	$(GO) test ./...

.PHONY: race
race: ## run all tests under the race detector
	CGO_ENABLED=1 $(GO) test -race ./...

.PHONY: check
check: format vet static floors tidy cross vuln ## everything that can be checked without running the tests
	@echo 'check: all passed'

.PHONY: format
format: ## gofmt has nothing to say
	@unformatted=$$(gofmt -l .) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi

.PHONY: vet
vet: ## go vet
	$(GO) vet ./...

.PHONY: static
static: ## staticcheck
	$(GO) run $(STATICCHECK) ./...

.PHONY: floors
floors: ## no package imports upwards or sideways
	$(GO) test ./internal/arch

.PHONY: tidy
tidy: ## go.mod and go.sum are what go mod tidy would write
	$(GO) mod tidy -diff

.PHONY: cross
cross: ## it builds for macOS and Windows, tests included
	GOOS=darwin GOARCH=arm64 $(GO) build ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) build ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...

# govulncheck ends with 3 when it found something. Any other failure is taken
# for an unreachable database only when it says so.
.PHONY: vuln
vuln: ## known vulnerabilities, when their database can be reached
	@if command -v curl >/dev/null && ! curl -fsS -m 10 -o /dev/null $(VULNDB)/index/db.json 2>/dev/null; then \
		echo 'vuln: SKIPPED, $(VULNDB) cannot be reached'; exit 0; \
	fi; \
	GOBIN='$(CURDIR)/bin/tools' $(GO) install $(GOVULNCHECK) || exit 1; \
	out=$$(bin/tools/govulncheck -db $(VULNDB) ./... 2>&1); status=$$?; \
	case "$$status:$$out" in \
	0:*) echo "$$out" ;; \
	3:*) echo "$$out"; exit 1 ;; \
	*'fetching vulnerabilities'*) echo 'vuln: SKIPPED, $(VULNDB) cannot be reached' ;; \
	*) echo "$$out"; exit 1 ;; \
	esac

# Targets are asked for, not listed here, so that a new one is never forgotten.
.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME each (30s, 1000000x)
	@listed=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$listed"; exit 1; }; \
	targets=$$(echo "$$listed" | awk '/^Fuzz/ { names[++n] = $$1 } \
		$$1 == "ok" { for (i = 1; i <= n; i++) print $$2, names[i]; n = 0 }'); \
	if [ -z "$$targets" ]; then echo 'fuzz: no targets'; exit 0; fi; \
	echo "$$targets" | while read -r package name; do \
		echo "fuzz: $$name in $$package for $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMIN) "$$package" </dev/null || exit 1; \
	done

.PHONY: bench
bench: ## run the benchmarks of the protocol
	$(GO) test -run '^$$' -bench . -benchmem ./hmx/...

.PHONY: clean
clean: ## remove what was built
	rm -rf bin
