package plugin

import (
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// state is what is known at one moment. It is immutable.
type state struct {
	plugins  []*Plugin
	problems []Problem
	catalog  *domain.Catalog
	settled  bool          // for every module it is known whether it is served
	next     chan struct{} // closed when another state replaces this one
}

// candidate is a module that was found. Set.mu guards the fields from copied on, and plugin once the set has the
// candidate.
type candidate struct {
	path    string
	own     bool           // see finding
	pin     *Pinned        // see finding
	seen    files.Identity // the version of the file that was read
	blurred bool           // another write may have left seen unchanged
	sum     string         // sha256 in hex; "" if nothing was read
	box     *sandbox.Plugin
	plugin  *Plugin // its domain is set once known; nil for none
	limits  sandbox.Limits
	roots   *files.Roots // where its documents may be opened and saved; nil for the general roots

	copied  bool       // an earlier candidate, or a built-in module that is not asked for, has the same bytes
	was     *candidate // the file's earlier content, which is served while this one cannot be
	ready   bool       // it is compiled
	awaited bool       // it is to be served once it is compiled
	slow    bool       // it must be compiled for its manifest
	began   bool       // it was served
	gone    bool       // the set no longer needs it
	err     error      // why it is not served
	passed  error      // why another candidate is served instead
	told    string     // the text of err or passed that was reported
}

func (c *candidate) known() bool { return c.plugin != nil && c.plugin.Domain != nil }

func (c *candidate) pending() bool { return c.err == nil && !c.copied && !c.known() }

// servable returns the candidate to serve for a file: c, or the content before it; nil if neither can be.
func (c *candidate) servable() *candidate {
	for c != nil && (c.err != nil || !c.known()) {
		c = c.was
	}
	return c
}

// lastServed returns the candidate that was last served for a file, or nil.
func (c *candidate) lastServed() *candidate {
	for c != nil && (c.err != nil || !c.began) {
		c = c.was
	}
	return c
}

func (c *candidate) domain() *domain.Domain { return c.plugin.Domain }
