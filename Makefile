# What a developer runs; `make` alone lists it.

GO       ?= go
PKG      ?= ./...
ARGS     ?=
FUZZTIME ?= 10s
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# Built on the spot: a linter built by an older Go than go.mod asks for refuses to run.
LINT_VERSION := v2.14.0
# The version is in the name, so that raising it builds the new one.
LINT := bin/tools/golangci-lint-$(LINT_VERSION)

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Start a demo dealership on this machine
	@bin/slipway demo

.PHONY: build
build: ## Build bin/slipway
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X slipway/internal/app.Build=$(VERSION)' \
		-o bin/slipway ./cmd/slipway

.PHONY: test
test: ## Test on both databases, with the race detector (PKG=./internal/hulls ARGS='-run Archive -v')
	CGO_ENABLED=1 $(GO) run ./internal/testkit/postgres/withpostgres $(GO) test -race -timeout 10m $(ARGS) $(PKG)

# That api/openapi.json is fresh is one of the tests.
.PHONY: check
check: format vet tidy lint test ## Everything a change must pass

.PHONY: format
format:
	@unformatted=$$(gofmt -s -l .); test -z "$$unformatted" || { echo "make fmt would change:"; echo "$$unformatted"; exit 1; }

.PHONY: vet
vet:
	$(GO) vet ./...

.PHONY: tidy
tidy:
	$(GO) mod tidy -diff

.PHONY: lint
lint: $(LINT) ## Lint (the first time builds the linter, a few minutes)
	$(LINT) run ./...

$(LINT):
	GOBIN=$(CURDIR)/bin/tools $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv bin/tools/golangci-lint $@

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME=10s
	@grep -rEo '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' cmd internal | sort | while IFS=: read -r file target; do \
		name=$${target#func }; echo "$$name"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")" </dev/null || exit 1; \
	done

.PHONY: bench
bench: ## Measure against the ceilings and the peers
	cd bench && $(GO) run .

.PHONY: openapi
openapi: ## Write api/openapi.json anew
	$(GO) test ./internal/app -run TestOpenAPI -update

.PHONY: fmt
fmt: ## Format the sources
	gofmt -s -w .

.PHONY: clean
clean: ## Remove what was built, but not the linter
	rm -rf bin/slipway coverage.*
