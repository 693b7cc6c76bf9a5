package main

import "github.com/fcp-host/fcp-host/conformance/testdata/bug"

// bugged reports whether this instance has a bug.
var bugged = bug.Of(
	"reverse-nothing", "reverse-order", "reverse-fails", "replay-counts", "replay-memory", "no-event", "half-undone",
	"query-changes", "save-changes", "help-changes", "part-miscounts", "export-changes", "digest-changes", "failed-trace", "query-takes-all", "export-takes-all", "action-takes-all",
	"verb-missing", "example-wrong", "no-try", "try-broken", "try-fails", "try-idle", "try-deletes", "try-all", "try-other",
	"try-foreign", "try-asks", "order-random", "save-unstable", "save-forgets", "links-unsaved", "stale-index",
	"query-remembers", "export-fails", "query-missing", "snapshot-forgets", "digest-long", "digest-empty", "id-long",
	"text-prefix", "digest-escape", "traps", "loops",
	"cr-dropped", "newline-added", "blanks-dropped", "replay-short", "reverse-short", "reverse-lines", "add-slow", "links-slow", "all-slow", "file-id-long", "error-raw", "others-renamed", "others-dropped", "others-selected", "describe-traps",
)
