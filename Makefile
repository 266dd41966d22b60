# Railkit. `make demo` shows it, `make test` tests it; the rest is below.

# Everything is pure Go. One cgo setting for all but the race detector, since
# every change of it compiles the blockchain anew.
export CGO_ENABLED = 0

GO      ?= go
BIN     := bin

# The newest version that CHANGELOG.md describes, and after it the commit that was built: 0.1.0+47a80c37.
RELEASE := 0.1.0
VERSION ?= $(RELEASE)$(addprefix +,$(shell git describe --always --dirty --exclude '*' 2>/dev/null))
LDFLAGS := -X main.version=$(VERSION)
TOOL    := $(GO) tool -modfile=tools/go.mod

# The version is in the programs already; git's own stamp would fail in a clone
# that belongs to another user.

FUZZTIME ?= 30s
SOAKTIME ?= 15m

# The race detector costs five to twenty times, so it runs over what can race: every package that starts a goroutine or has
# a lock is in one of the three lists. internal/test/archtest holds them to that. The tests of RACE run whole.
RACE += ./chain/evm/rpc               # asks several nodes at once
RACE += ./chain/solana/follow         # reads several blocks at once
RACE += ./chain/solana/localnet       # answers many at once
RACE += ./chain/solana/rpc            # asks several nodes at once
RACE += ./kit/payout/arrival        # what the log has told of, by all watchers
RACE += ./chain/tron/rpc              # asks several nodes at once
RACE += ./api/edge                    # makes the rules of an operation for the first of its callers
RACE += ./enclave                     # answers calls at once, over one state and one journal
RACE += ./enclave/client              # shares its connection, and makes it again
RACE += ./enclave/journal             # writes the entries of several callers together
RACE += ./enclave/keystore            # shares the unsealed seed
RACE += ./fault                       # registers errors
RACE += ./kit/signing/balance         # asks several nodes at once, and shares their answers
RACE += ./kit/signing/nodes           # shares what a node said of a block
RACE += ./kit/trade/lending           # asks a node about several tokens at once
RACE += ./internal/app                # starts and ends servers, jobs and watchers
RACE += ./internal/child              # watches the parent process
RACE += ./internal/child/serve        # serves until it is told to stop
RACE += ./internal/facilitator        # settles many payments at once, and follows them
RACE += ./x402/facilitator           # remembers contracts for many payments at once
RACE += ./x402/shop                  # sells to many at once
RACE += ./internal/shops              # sells to many at once, and settles some later
RACE += ./internal/prices             # serves the newest sheet while the next one is made
RACE += ./internal/supervise          # starts processes, and starts them again
RACE += ./job/queue                   # runs jobs at once
RACE += ./kit/signing/plan            # shares the data fees of a price sheet
RACE += ./kit/signing/block           # has callers at once wait for one answer
RACE += ./kit/payout/fx               # shares the newest rates
RACE += ./platform/issuer             # servers of one database ask the same nodes
RACE += ./platform/event              # tells many listeners what one look at the database found
RACE += ./platform/idempotency        # lets the second caller of a key wait for the first
RACE += ./platform/ratelimit          # counts calls at once
RACE += ./platform/ratelimit/redislimit # the same, in Redis
RACE += ./platform/ready              # asks all parts at once
RACE += ./platform/watch              # reads chains at once
RACE += ./platform/webhook            # sends to many endpoints at once, from several servers
RACE += ./platform/workspace          # shares what it knows of keys, and writes down their last use
RACE += ./internal/metrics            # is read while everything counts
RACE += ./internal/mcpserver          # tells its callers that a call goes on
RACE += ./sdk/go/agent                # polls, pays and reports at once
RACE += ./sdk/go/passkey              # has an authenticator that is shared
RACE += ./store/sqlite                # shares prepared statements
RACE += ./store/postgres              # takes connections at once, and waits for a server that is away
RACE += ./store/internal/sqldb        # has callers wait for their turn in one transaction
RACE += ./store                       # the conformance suite of both databases: writers, claims, restarts

# Tests that nothing runs beside, or whose other form the detector has: each would take a minute and more of it.
RACE_SKIP += TestCompatibility_StampersFromNPM     # a program of npm and the signer, in turn
RACE_SKIP += TestAgents_FacilitatorInterop         # programs of npm, in turn
RACE_SKIP += TestLibraries TestInterop TestAgents_MCPServesAStrangersHost # programs of npm, in turn
RACE_SKIP += TestSigning_K04_CheckpointIsTheReplay # one journal, read twice
RACE_SKIP += TestSigning_R06_UptimeIsNoSlack       # arithmetic of a clock
RACE_SKIP += TestCrash$$                           # SQLite, as those below; TestCrashOnPostgres runs
RACE_SKIP += TestShortWaits                        # three processes in three zones
RACE_SKIP += TestSigning_ChallengesAreBounded TestSigning_S16_PasskeysAreBounded # one caller, thousands of calls
RACE_SKIP += TestAgents_MemoryIsBounded TestAgents_RefusedBodies TestSigning_R06_FloodOfLateBodies # the same
RACE_SKIP += TestSigning_R06_NothingIsTakenBack TestSigning_R06_StatedTimeIsKept TestSigning_K05_FailingDisk # the same
RACE_SKIP += TestSigning_K01_DeterministicLowSAndRecovers TestSeedIsThatOfGoBIP39 TestAddressVectors # arithmetic
RACE_SKIP += TestAnswersAreBounded                 # megabytes of an answer
RACE_SKIP += TestSQLiteUnderstandsEveryQuery TestSQLite/SweepOfMany # SQLite, one caller and thousands of statements
RACE_SKIP += TestReferencesOfOlderBatches TestTablesOfANewerVersion TestReopen TestSQLiteDiskFull # the same
RACE_SKIP += TestGeneratedCodeIsCurrent TestPostgres/Statement # a program that reads SQL; one caller, who reads
RACE_SKIP += TestPlatform_W[2-7]_ TestPlatform_W1_OrderOfAnObject TestPlatform_Webhook[RG] # SQLite, as those below; the soak runs
RACE_SKIP += .*/SQLite                             # 18 times slower without cgo; .*/PostgreSQL runs

# Tests of RACE that find the same in both halves, and cost their databases in each: the detector alone has them. Of the
# suite of store it leaves out the names that begin with St.
PLAIN_SKIP += ^TestPostgres$$/^([^S]|S[^t])        # the conformance suite of store on PostgreSQL
PLAIN_SKIP += ^TestCrashOnPostgres$$               # the queue's programs, which kill themselves

# Whole servers under load, and an SDK whose tests have one caller: of these packages it runs the tests of RACE_TESTS
# alone, on PostgreSQL.
RACE_STORIES += ./kit/payout          # an off-ramp, callers at once, the end of a server
RACE_STORIES += ./kit/signing         # a transfer; confirmations, votes and cancellations at once
RACE_STORIES += ./kit/agent/x402pay   # one purchase, asked for many times at once
RACE_STORIES += ./sdk/go              # is shared by its callers: eight at once
RACE_STORIES += ./internal/test/soak  # both ramps, while everything is killed
RACE_STORIES += ./internal/test/stories # an agent and its requests; keys that expire while they are used
RACE_TESTS += TestAgents_Status TestAgents_X402OncePerKey
RACE_TESTS += TestPayout_OffRampStory TestPayout_SoakLinearizable TestPayout_J7_ShutdownDrains
RACE_TESTS += TestSigning_Story TestSigning_ApprovedByTwo TestSigning_S02_ConfirmSixtyFourTimesUnderOneKey
RACE_TESTS += TestSigning_A03_ConfirmAndCancelRace TestSigning_A03_ConfirmedWhileItWaits TestSigning_A03_SoakLinearizable
RACE_TESTS += TestPlatform_KeyExpires TestManyAtOnce
RACE_TESTS += TestPayout_SoakBothRamps

NO_RACE += ./chain/devnet/node        # links a whole blockchain, which the detector would compile for minutes
NO_RACE += ./chain/devnet/node/methods # links it, too
NO_RACE += ./chain/node              # asks several nodes at once, in the tests of their clients
NO_RACE += ./chain/tron/localnet       # links its machine for contracts
NO_RACE += ./cmd/railkit/internal/dev # starts the other programs, which are built without the detector
NO_RACE += ./cmd/railkit/internal/mcp # only serves internal/mcpserver
NO_RACE += ./cmd/railkit-facilitator  # only starts internal/facilitator
NO_RACE += ./cmd/railkit-prices       # only starts internal/prices
NO_RACE += ./kit/signing/transaction  # has no tests of its own; those of kit/signing run it
NO_RACE += ./kit/payout/reconcile     # has no tests of its own; those of kit/payout run it
NO_RACE += ./kit/signing/rollback     # its lock is around two words; one goroutine writes them
NO_RACE += ./kit/payout/transfer      # has no tests of its own; those of kit/payout run it
NO_RACE += ./kit/payout/payin         # has no tests of its own; those of kit/payout run it
NO_RACE += ./fiat/sandbox             # a partner for tests; its tests wait for its clock
NO_RACE += ./crash                    # its lock is in the programs that kill themselves
NO_RACE += ./internal/demo            # prints a story
NO_RACE += ./internal/mailsink        # takes the mails of tests and of the demo
NO_RACE += ./internal/test/sourcetest # lists files

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build every program into bin/
	@mkdir -p $(BIN)
	@GO='$(GO)' .ci/build ./cmd/... -buildvcs=false -ldflags '$(LDFLAGS)' -o $(BIN)/
	@$(BIN)/railkit version --ceremony

.PHONY: demo
demo: build ## build, start a private platform and walk the whole story
	$(BIN)/railkit demo

.PHONY: dev
dev: build ## build and run the whole platform on this machine
	$(BIN)/railkit dev

# Tests that need the real programs take them from here.
check vet-all tests test-postgres race race-stories stress nightly soak bench-flows: export RAILKIT_TEST_BIN = $(CURDIR)/$(BIN)

# Heaps of tests are small: to collect them less often saves a tenth of the time.
tests race race-stories: export GOGC = 400

# testrun keeps what came of each command, so that both halves run and tell their failures also where the first one
# failed, and the last lines say what it all cost.
TESTRUN := $(GO) run ./internal/test/testrun

.PHONY: test
test: build ## run all tests, then those of what can race under the race detector
	@$(TESTRUN) clear
	@$(MAKE) --no-print-directory --keep-going test-plain test-race; status=$$?; $(TESTRUN) sum && exit $$status

.PHONY: test-plain
test-plain: vet-all tests

# All of vet, of all packages, so that the tests need not do a part of it again.
.PHONY: vet-all
vet-all:
	$(TESTRUN) run vet $(GO) vet ./...

.PHONY: tests
tests: build needs-node needs-curl needs-postgres needs-redis needs-nginx needs-chromium needs-prometheus
	$(TESTRUN) run plain $(GO) test -vet=off -timeout 30m -skip '$(subst $() ,|,$(strip $(PLAIN_SKIP)))' ./...

# The tests that run the whole server, on the other database: for who works on it. In make test it has the conformance suite
# of store, and the stories of test-race.
.PHONY: test-postgres
test-postgres: build needs-postgres needs-redis
	RAILKIT_TEST_ENGINE=postgres $(GO) test ./internal/test/apptest ./internal/test/stories ./internal/test/walk ./kit/... ./platform/...

# -short is how a test knows that it runs under the race detector: SQLite without cgo is 18 times slower there, so its
# suites keep a few cases only. Nothing else may depend on it.
RACE_RUN = RAILKIT_TEST_ENGINE=postgres CGO_ENABLED=1 $(TESTRUN) run
RACE_TEST := $(GO) test -vet=off -timeout 30m -race -short

.PHONY: test-race
test-race: race race-stories

.PHONY: race
race: build needs-node needs-curl needs-postgres needs-redis needs-cc
	$(RACE_RUN) race $(RACE_TEST) -skip '$(subst $() ,|,$(strip $(RACE_SKIP)))' $(strip $(RACE))

.PHONY: race-stories
race-stories: build needs-postgres needs-redis needs-cc
	$(RACE_RUN) race-stories $(RACE_TEST) -run '^($(subst $() ,|,$(strip $(RACE_TESTS))))$$' $(RACE_STORIES)

# For every new test that has processes, goroutines or a browser in it.
TIMES ?= 50
.PHONY: stress
stress: build needs-node needs-curl needs-postgres needs-redis needs-nginx needs-chromium needs-prometheus needs-cc ## run TEST=name of PACKAGE=./folder TIMES=50 on starved cores
	.ci/stress '$(PACKAGE)' '$(TEST)' '$(TIMES)'

# The long forms of suites that try a sample in make test: each mutant of the signer has to be caught by its attack, the
# programs die at each of their crash points on both databases, nobody finds a secret on either, models and soaks run for
# SOAKTIME, PostgreSQL is under every test.
.PHONY: nightly
nightly: build needs-node needs-curl needs-postgres needs-redis needs-nginx needs-chromium needs-prometheus ## run the long forms of tests, for an hour and more
	RAILKIT_NIGHTLY=1 $(GO) test -count 1 -timeout 3h ./...
	$(MAKE) test-postgres
	$(MAKE) soak

.PHONY: lint
lint: lint-openapi ## check formatting, vet, staticcheck, generated code, go.mod and the OpenAPI document
	@test -z "$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go'))" || \
		{ echo 'not formatted:'; gofmt -l $$(git ls-files -co --exclude-standard '*.go'); exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(TOOL) sqlc diff -f store/sqlc.yaml
	$(GO) mod tidy -diff

# The known faults of what go.mod asks for, by https://vuln.go.dev, which has to be within reach: so it is no part of lint.
.PHONY: vulncheck
vulncheck: ## ask the Go vulnerability database about every module
	$(TOOL) govulncheck ./...

# The inner loop of who changes something: a minute or two, of which the tests are those of the packages that the last
# commit or the working tree touched, and of all that import them. Suites that start whole platforms are in it where
# they were touched themselves; make test has all of them.
.PHONY: check
check: build lint ## build, lint, and test what the last commit and the working tree touched
	packages=$$(.ci/touched) && { test -z "$$packages" || $(GO) test -timeout 10m $$packages; }

# A linter reads the OpenAPI document, four generators make clients of it, and their output has to compile; so does the
# schema of widgets. The packages are installed into bin/ once, and again when their list changes; what was checked is
# checked again when it changed.
OPENAPI := $(BIN)/openapi

.PHONY: lint-openapi
lint-openapi: $(OPENAPI)/checked

$(OPENAPI)/checked: api/openapi.json docs/action-kit.schema.json $(wildcard tools/openapi/*) \
		$(OPENAPI)/node_modules/.package-lock.json
	cp tools/openapi/check.mjs tools/openapi/go.mod tools/openapi/go.sum $(OPENAPI)/
	cd $(OPENAPI) && node check.mjs $(CURDIR)/api/openapi.json $(CURDIR)/docs/action-kit.schema.json
	cd $(OPENAPI) && $(GO) tool oapi-codegen -generate types,client,skip-prune -package client -o client/client.go \
		$(CURDIR)/api/openapi.json && $(GO) build ./client
	@touch $@

$(OPENAPI)/node_modules/.package-lock.json: tools/openapi/package.json tools/openapi/package-lock.json | needs-node
	@mkdir -p $(OPENAPI)/client
	cp $^ $(OPENAPI)/
	cd $(OPENAPI) && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

.PHONY: bench
bench: bench-parts bench-flows ## run the benchmarks: of parts, then whole flows beside their floors

# One package at a time: two cores are not shared with another one's benchmarks.
.PHONY: bench-parts
bench-parts: needs-redis needs-node
	$(GO) test -p 1 -run '^$$' -bench . -benchmem $$($(GO) list ./... | grep -v '/internal/test/bench$$')

.PHONY: bench-flows
bench-flows: build needs-postgres
	$(GO) test -count 1 -run '^$$' -bench 'Flows|Growth' -timeout 60m ./internal/test/bench

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
soak: build ## run the long tests, SOAKTIME=15m
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

.PHONY: needs-nginx
needs-nginx: # for the web server's file of docs/operations.md; one that the package starts is not used
	@command -v nginx >/dev/null || .ci/install nginx-light

.PHONY: needs-prometheus
needs-prometheus: # for promtool, which fires the alerts; a server that the package starts is not used
	@command -v promtool >/dev/null || .ci/install prometheus

# Debian has it without windows too, which costs the tests less than half.
.PHONY: needs-chromium
needs-chromium: # for the ceremony page
	@command -v chromium-headless-shell >/dev/null || \
		{ apt-cache show chromium-headless-shell >/dev/null 2>&1 && .ci/install chromium-headless-shell; } || true
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
		.ci/install chromium

.PHONY: needs-cc
needs-cc: # for the race detector
	@command -v gcc >/dev/null || .ci/install gcc libc6-dev
