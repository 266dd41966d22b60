# Railkit. `make demo` shows it, `make test` tests it; the rest is below.

# Everything is pure Go. One cgo setting for all but the race detector, since
# every change of it compiles the blockchain node anew.
export CGO_ENABLED = 0

GO      ?= go
BIN     := bin
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)
TOOL    := $(GO) tool -modfile=tools/go.mod

# The version is in the programs already; git's own stamp would fail in a clone
# that belongs to another user.

FUZZTIME ?= 30s
SOAKTIME ?= 10m

# The race detector costs five to twenty times. Packages that link the full
# blockchain node are left out of it: tests only ever start that as a binary.
# So is the crash suite, whose processes are built without the detector.
FULL_NODE := /chain/devnet/node$$|/cmd/railkit-devnet$$|/internal/crash$$

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build every program into bin/
	@mkdir -p $(BIN)
	$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...
	@$(BIN)/railkit version --ceremony

.PHONY: demo
demo: build ## build, start a private platform and walk the whole story
	$(BIN)/railkit demo

.PHONY: dev
dev: build ## build and run the whole platform on this machine
	$(BIN)/railkit dev

# Tests that need the real programs take them from here.
test-plain test-postgres test-race soak bench-flows: export RAILKIT_TEST_BIN = $(CURDIR)/$(BIN)

.PHONY: test
test: test-plain test-race ## run all tests, then once more on the other database under the race detector

.PHONY: test-plain
test-plain: build needs-node needs-curl needs-postgres needs-redis needs-chromium
	$(GO) vet ./...
	$(GO) test -timeout 30m ./...

# The tests that run the whole server, on the other database and without the race
# detector, which test-race has: for who works on it. Those of internal/crash,
# internal/canary and cmd/railkit choose their databases themselves.
.PHONY: test-postgres
test-postgres: build needs-postgres needs-redis
	RAILKIT_TEST_ENGINE=postgres $(GO) test ./internal/apptest ./internal/stories ./internal/walk ./kit/... ./platform/...

# -short is how a test knows that it runs under the race detector: SQLite
# without cgo is 18 times slower there, so its suites keep a few cases only, and
# of the browser's tests one story runs: the detector sees nothing of a browser.
# Nothing else may depend on it, and nothing is skipped in test-plain. The tests
# that run the whole server have PostgreSQL here, which loses no time to the
# detector, and SQLite in test-plain: each of them runs on both.
.PHONY: test-race
test-race: build needs-node needs-curl needs-postgres needs-redis needs-chromium needs-cc
	RAILKIT_TEST_ENGINE=postgres CGO_ENABLED=1 $(GO) test -timeout 30m -race -short $$($(GO) list ./... | grep -Ev '$(FULL_NODE)')

.PHONY: lint
lint: lint-openapi ## check formatting, vet, staticcheck, generated code, go.mod and the OpenAPI document
	@test -z "$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go'))" || \
		{ echo 'not formatted:'; gofmt -l $$(git ls-files -co --exclude-standard '*.go'); exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(TOOL) sqlc diff -f store/sqlc.yaml
	$(GO) mod tidy -diff

# A linter reads the OpenAPI document, two generators make clients of it, and their output has to compile. The packages
# are installed into bin/ once, and again when their list changes.
OPENAPI := $(BIN)/openapi

.PHONY: lint-openapi
lint-openapi: needs-node $(OPENAPI)/node_modules/.package-lock.json
	cp tools/openapi/check.mjs $(OPENAPI)/
	cd $(OPENAPI) && node check.mjs $(CURDIR)/api/openapi.json

$(OPENAPI)/node_modules/.package-lock.json: tools/openapi/package.json tools/openapi/package-lock.json
	@mkdir -p $(OPENAPI)
	cp $^ $(OPENAPI)/
	cd $(OPENAPI) && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

.PHONY: bench
bench: bench-parts bench-flows ## run the benchmarks: of parts, then whole flows beside their floors

# One package at a time: two cores are not shared with another one's benchmarks.
.PHONY: bench-parts
bench-parts: needs-redis
	$(GO) test -p 1 -run '^$$' -bench . -benchmem $$($(GO) list ./... | grep -v '/internal/bench$$')

.PHONY: bench-flows
bench-flows: build needs-postgres
	$(GO) test -count 1 -run '^$$' -bench 'Flows|Growth' -timeout 60m ./internal/bench

# Go fuzzes one target at a time, so the targets are found by their names.
.PHONY: fuzz
fuzz: ## fuzz every decoder, FUZZTIME=30s each
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package; \
		done; \
	done

.PHONY: soak
soak: build ## run the long tests, SOAKTIME=10m
	RAILKIT_SOAK=$(SOAKTIME) $(GO) test -count 1 -timeout 0 -run Soak ./...

.PHONY: clean
clean: ## remove what build made
	rm -rf $(BIN)

# What the tests need beside Go is installed where it is missing and this user
# may; else it is said loudly. No test is skipped for want of it.

.PHONY: needs-node
needs-node: # to recompile the token contract, and for the ceremony page's functions
	@command -v node >/dev/null && command -v npm >/dev/null || .ci/install nodejs npm

.PHONY: needs-curl
needs-curl: # to paste the README's lines
	@command -v curl >/dev/null || .ci/install curl

.PHONY: needs-postgres
needs-postgres: # for private clusters; a cluster that the package starts is not used
	@test -n "$$PG_BIN" || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		.ci/install postgresql

.PHONY: needs-redis
needs-redis: # for private servers; one that the package starts is not used
	@command -v redis-server >/dev/null || .ci/install redis-server

.PHONY: needs-chromium
needs-chromium: # for the ceremony page
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
		.ci/install chromium

.PHONY: needs-cc
needs-cc: # for the race detector
	@command -v gcc >/dev/null || .ci/install gcc libc6-dev
