# AllSpark. `make help` lists what there is to do.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# One set of flags everywhere: each other set builds nearly all packages anew.
# nomsgpack leaves a codec out of gin that nothing here uses.
export CGO_ENABLED := 0
GO_FLAGS := -tags nomsgpack
LDFLAGS  := -s -w

# What a binary is made of. Tests are not, so editing one does not build it.
GO_FILES  := $(shell find agent server proto migrations deploy web/embed.go go.mod go.sum -type f ! -name '*_test.go' 2>/dev/null)
WEB_FILES := $(shell find web/src web/public web/*.json web/*.ts web/*.js web/index.html -type f 2>/dev/null)
GO_DIRS   := $(wildcard agent server proto migrations scripts)

# The race detector is for the packages where goroutines meet.
RACE_PACKAGES := $(patsubst %,./%/...,$(wildcard agent server/push server/control server/servertest))

NODE_MODULES := web/node_modules/.package-lock.json
TIMED        := scripts/timed.sh

# Linters live in a module of their own, built once for each of its versions.
LINT_KEY := $(shell cat scripts/lint/go.mod scripts/lint/go.sum | sha256sum | cut -c1-12)
LINT_BIN := .cache/lint/$(LINT_KEY)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9/-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

## Build

.PHONY: run build web
run: build ## build everything and start the controller with a sample engine
	bin/allspark demo
build: bin/allspark ## one static binary with the console inside: bin/allspark
web: web/dist/index.html ## the console: web/dist

bin/allspark: web/dist/index.html $(GO_FILES)
	go build $(GO_FLAGS) -ldflags '$(LDFLAGS)' -o $@ ./server/cmd/allspark

web/dist/index.html: $(NODE_MODULES) $(WEB_FILES)
	cd web && npm run --silent build
	@touch $@

$(NODE_MODULES): web/package-lock.json
	@node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' || { echo "The console needs Node.js 20 or newer with npm." >&2; exit 1; }
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

## Test

.PHONY: test test-go test-race test-web e2e services
test: ## all tests, with the databases and browsers they need
	@$(TIMED) test-web $(MAKE) --no-print-directory test-web
	$(if $(wildcard web/playwright.config.ts),@$(TIMED) e2e $(MAKE) --no-print-directory e2e)
	@$(TIMED) test-race $(MAKE) --no-print-directory test-race
	@$(TIMED) test-go $(MAKE) --no-print-directory test-go

# servertest runs whole under the race detector. What runs there with smaller
# numbers (race_on_test.go) runs here again in full.
IN_FULL := ^Test(R12|R19|R22)

test-go: services ## Go tests
	go test $(GO_FLAGS) -timeout 20m $$(go list $(GO_FLAGS) ./... | grep -v /server/servertest$$)
	go test $(GO_FLAGS) -timeout 20m -run '$(IN_FULL)' ./server/servertest

test-race: services ## Go tests where goroutines meet, under the race detector
	@scripts/need.sh gcc,cc:gcc /usr/include/stdlib.h,/usr/include/*/stdlib.h:libc6-dev
	CGO_ENABLED=1 go test $(GO_FLAGS) -race -timeout 30m $(RACE_PACKAGES)

test-web: $(NODE_MODULES) ## the console's unit tests and its first-load budget
	cd web && npx tsc --noEmit && npm test --silent

e2e: bin/allspark ## the console in a browser against the real binary
	@scripts/need.sh chromium,chromium-browser,google-chrome:chromium '/usr/share/fonts/truetype/wqy/wqy-microhei.ttc:fonts-wqy-microhei'
	cd web && npx playwright test

# Tests prefer a server named by the environment, then a container, then a
# private server from this machine's programs; only the last needs anything.
services:
	@[[ -n "$${TEST_POSTGRES_DSN:-}" ]] || docker info >/dev/null 2>&1 || scripts/need.sh 'initdb,/usr/lib/postgresql/*/bin/initdb:postgresql'
	@scripts/need.sh redis-server:redis-server # also beside containers: some tests kill their own

.PHONY: lab
lab: bin/allspark ## control laws in virtual time: server/lab/RESULTS*.md (30 minutes of two cores)
	bin/allspark lab standard --out server/lab/RESULTS.md
	bin/allspark lab quota --out server/lab
	bin/allspark lab alerts --seeds 1 --out server/lab/RESULTS-alerts.md

## Verify

.PHONY: verify verify/generated verify/format verify/laws lint lint/go lint/web
verify: ## generated files fresh, format, lint, the house's laws
	@$(TIMED) verify/generated $(MAKE) --no-print-directory verify/generated
	@$(TIMED) verify/format $(MAKE) --no-print-directory verify/format
	@$(TIMED) verify/laws $(MAKE) --no-print-directory verify/laws
	@$(TIMED) lint $(MAKE) --no-print-directory lint

verify/generated: $(NODE_MODULES)
	@cd proto && ../web/node_modules/.bin/buf lint
	@scripts/generate.sh --check

verify/format: $(LINT_BIN)/gofumpt $(NODE_MODULES)
	@bad=$$($(LINT_BIN)/gofumpt -l $(GO_DIRS) web/embed.go); [[ -z $$bad ]] || { echo "$$bad"; echo "Not formatted: run make format." >&2; exit 1; }
	@cd web && npx prettier --check --log-level warn .

verify/laws:
	go test $(GO_FLAGS) -count 1 ./scripts/archtest

lint: lint/go lint/web ## go vet, staticcheck, eslint, tsc, the OpenAPI document

lint/go: $(LINT_BIN)/staticcheck
	go vet $(GO_FLAGS) ./...
	$(LINT_BIN)/staticcheck $(GO_FLAGS) ./...

lint/web: $(NODE_MODULES)
	cd web && npx tsc --noEmit && npx eslint . --max-warnings 0
	cd web && npm run --silent lint:openapi

$(LINT_BIN)/%: scripts/lint/go.mod scripts/lint/go.sum
	@mkdir -p $(LINT_BIN)
	cd scripts/lint && go build -o $(abspath $(LINT_BIN))/ tool
	@touch $(LINT_BIN)/*

## Write

.PHONY: generate format
generate: $(NODE_MODULES) ## renew generated files
	scripts/generate.sh .

format: $(LINT_BIN)/gofumpt $(NODE_MODULES) ## format Go and the console
	$(LINT_BIN)/gofumpt -w $(GO_DIRS) web/embed.go
	cd web && npx prettier --write --log-level warn .

## Measure

.PHONY: bench
bench: bin/allspark ## figures beside their bases; BENCH_JSON=FILE writes them, BENCH_ROWS=REGEXP picks some
	go run $(GO_FLAGS) ./scripts/bench $(if $(BENCH_JSON),-json '$(BENCH_JSON)') $(if $(BENCH_ROWS),-rows '$(BENCH_ROWS)') $(BENCH_FLAGS)

.PHONY: clean
clean: ## remove what make built; data stays
	rm -rf bin .cache bench-out web/node_modules
	find web/dist -mindepth 1 ! -name .gitkeep -delete
