# Commands for developers. Run `make` to list them.

GO       ?= go
PKG      ?= ./...
ARGS     ?=
FUZZTIME ?= 50000x
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE     ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null)

include .envrc

APP     := slipway/internal/app
LDFLAGS := -s -w -X $(APP).Build=$(VERSION) -X $(APP).Commit=$(COMMIT) -X $(APP).Date=$(DATE)

# We build the linter here. A linter built with an older Go version than go.mod requires doesn't run.
LINT_VERSION := v2.14.0
# The version is part of the name, so changing it builds the new version.
LINT := bin/tools/golangci-lint-$(LINT_VERSION)

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Start a demo dealership on this machine
	@bin/slipway demo

.PHONY: build
build: ## Build bin/slipway
	$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/slipway ./cmd/slipway

.PHONY: release
release: ## Build the archives, checksums and SBOMs of a release in bin/release
	$(GO) run ./deploy/release $(ARGS)

# Starts a PostgreSQL server with the same address each time, so that Go can reuse results.
WITH_POSTGRES := $(GO) run ./internal/testkit/postgres/withpostgres

# Tests need no debug information, which takes most of the time of linking them.
NO_DWARF := -ldflags=-w

.PHONY: test
test: ## Test on both databases and in chromium. Go reuses results (PKG=./tests/inventory ARGS='-run Archive -v')
ifeq ($(PKG)$(ARGS),./...)
	$(WITH_POSTGRES) scripts/test
else
	$(WITH_POSTGRES) $(GO) test -timeout 20m -parallel 4 $(NO_DWARF) $(ARGS) $(PKG)
endif

.PHONY: test-all
test-all: ## Test without reusing results: with the race detector on SQLite, without on PostgreSQL
	$(WITH_POSTGRES) scripts/test-all

.PHONY: test-mutants
test-mutants: ## Plant faults, each of which a test must notice (about 15 minutes, ARGS='-run consent')
	$(GO) run ./internal/testkit/mutants $(ARGS)

.PHONY: test-browser
test-browser: ## Test the pages in chromium (ARGS='-run Passkey -v' SLIPWAY_SCREENSHOTS=folder)
	scripts/test-browser $(ARGS)

.PHONY: test-clients
test-clients: ## Test OAuth with npm packages as clients
	scripts/test-clients $(ARGS)

.PHONY: test-completion
test-completion: ## Test the completion of the command line in bash, zsh and fish
	scripts/test-completion $(ARGS)

.PHONY: test-mcp
test-mcp: ## Test MCP with the official inspector as the client
	scripts/test-mcp $(ARGS)

.PHONY: test-contract
test-contract: ## Test with Prism that requests and responses match the OpenAPI document
	scripts/test-contract $(ARGS)

.PHONY: test-scim
test-scim: ## Test SCIM with npm packages
	scripts/test-scim $(ARGS)

.PHONY: test-sso
test-sso: ## Test single sign-on in chromium with SimpleSAMLphp and oidc-provider
	scripts/test-sso $(ARGS)

.PHONY: test-image
test-image: ## Run Slipway in the root file system of its image, without Docker
	scripts/test-image

.PHONY: test-release
test-release: ## Build a release twice and compare the files (about 10 minutes)
	scripts/test-release $(ARGS)

.PHONY: first-deal
first-deal: ## Run the commands of the installation guide, from nothing to a first deal
	$(GO) test -count=1 -v -run TestFirstDeal ./cmd/slipway

.PHONY: test-pgbackrest
test-pgbackrest: ## Test that the configuration of pgBackRest restores a point in time
	scripts/test-pgbackrest

.PHONY: test-pgbouncer
test-pgbouncer: ## Test with PgBouncer in transaction mode (ARGS='./tests/sales -run Unwind')
	scripts/test-pgbouncer $(ARGS)

.PHONY: test-previous
test-previous: ## Test that servers of the last release work on the new schema (builds its program)
	scripts/test-previous $(ARGS)

.PHONY: test-citus
test-citus: ## Test a database that is distributed with Citus, which must be installed (ARGS='./tests/crm -run Lead')
	scripts/test-citus $(ARGS)

.PHONY: test-cluster
test-cluster: ## Test the failure of databases and nodes with Patroni and HAProxy (needs root)
	scripts/test-cluster $(ARGS)

.PHONY: lint-openapi
lint-openapi: ## Lint api/openapi.json with Redocly and Spectral
	scripts/lint-openapi

.PHONY: check-compat
check-compat: ## Compare api/openapi.json with the last release
	cd api/compat && $(GO) test ./... && $(GO) run . ../versions/released.json.gz ../openapi.json

.PHONY: test-generators
test-generators: ## Generate clients from api/openapi.json and compile them
	scripts/test-generators

.PHONY: test-sdk-go
test-sdk-go: ## Test the Go SDK and use its module from outside of the repository
	cd sdk/go && $(GO) vet ./... && $(GO) test ./...

.PHONY: test-sdk-ts
test-sdk-ts: ## Test the TypeScript SDK, its package, and each operation on a server
	scripts/test-sdk-ts $(ARGS)

.PHONY: test-sdk-python
test-sdk-python: ## Test the Python SDK, each operation on a server, and the packages that servers hand out
	SLIPWAY_TEST_ON=sqlite $(GO) test $(NO_DWARF) $(ARGS) -run 'Python|Served' ./tests/app

# Tests check that api/openapi.json and the SDKs are up to date.
.PHONY: check
check: format vet tidy lint test-all test-browser test-completion test-sdk-go ## Run all checks that a change must pass

.PHONY: format
format:
	@unformatted=$$(gofmt -s -l .); test -z "$$unformatted" || { echo "Run make fmt. These files are not formatted:"; echo "$$unformatted"; exit 1; }

.PHONY: vet
vet:
	$(GO) vet ./...

.PHONY: tidy
tidy:
	$(GO) mod tidy -diff

.PHONY: lint
lint: $(LINT) ## Lint (the first run takes a few minutes to build the linter)
	$(LINT) run ./...

$(LINT):
	GOBIN=$(CURDIR)/bin/tools $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv bin/tools/golangci-lint $@

# FUZZTIME is a number of inputs. With a duration, Go sometimes reports its own deadline as a failure.
.PHONY: fuzz
fuzz: ## Run each fuzz test with FUZZTIME=50000x inputs
	@grep -rEo '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' cmd internal | sort | while IFS=: read -r file target; do \
		name=$${target#func }; echo "$$name"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")" </dev/null || exit 1; \
	done

.PHONY: bench
bench: ## Run the benchmarks
	cd bench && $(GO) run .

.PHONY: openapi
openapi: ## Regenerate api/openapi.json, its examples and the SDKs
	$(GO) test ./tests/app -run TestExamples -update
	SLIPWAY_TEST_ON=sqlite $(GO) test ./tests/app -run "TestOpenAPI|TestVersions|TestCommandFacts|TestWhatChangesLeave" -update
	$(MAKE) sdk

.PHONY: behavior
behavior: ## Regenerate api/behavior.json: what operations did in tests, for the API reference (about 3 minutes)
	rm -f bin/behavior-seen
	$(WITH_POSTGRES) env SLIPWAY_TEST_ON=sqlite SLIPWAY_BEHAVIOR_SEEN=$(CURDIR)/bin/behavior-seen \
		$(GO) test -count=1 -timeout 20m -parallel 4 $(NO_DWARF) ./tests/...
	$(GO) run ./internal/testkit/behavior -update bin/behavior-seen

.PHONY: sdk
sdk: ## Regenerate the SDKs and the command line from the OpenAPI documents
	$(GO) test ./internal/sdkgen -run TestUpToDate -update
	SLIPWAY_TEST_ON=sqlite $(GO) test ./tests/clients ./cmd/slipway -run TestGolden -update

.PHONY: console
console: ## Build the web console: internal/console/dist from internal/console/src
	$(GO) test -count=1 ./internal/console -run TestUpToDate -update

.PHONY: console-dev
console-dev: ## Serve the web console from its source (ARGS='-listen 127.0.0.1:8081 -server http://127.0.0.1:8080')
	$(GO) run ./internal/console/dev $(ARGS)

.PHONY: console-shot
console-shot: ## Take pictures of the web console (ARGS='-h' explains it)
	cd browsertest && $(GO) run ./shot $(ARGS)

.PHONY: types
types: ## Check the types of the web console with TypeScript
	PATH="$$(scripts/npm-tools sdk/ts):$$PATH" tsc -p internal/console/src

.PHONY: fmt
fmt: ## Format the code
	gofmt -s -w .

.PHONY: clean
clean: ## Delete build output, except the linter
	rm -rf bin/slipway bin/release coverage.*
