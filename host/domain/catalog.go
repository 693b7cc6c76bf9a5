package domain

import "context"

// Catalog lists the domains that are served at one moment, and the modules that are not. It is immutable: after a
// change, its Source returns another one.
type Catalog struct {
	Domains []*Domain
	Absent  []Absent        // modules that are not served
	Pending int             // how many of Absent may still be served
	Next    <-chan struct{} // closed when another catalog replaces this one; nil if none ever will

	Watched   []string // folders and files that are watched for changes
	Unwatched string   // why some of the others are not watched; "" if all are
}

// Absent is a module that is not served.
type Absent struct {
	Later bool   // it may be served later
	Name  string // its file name, or what the user called it
	Path  string // the path of its file, if it has one
	Build string // its sha256 in hex; "" if unknown
	Why   string // one line; parts of it may come from the module
}

// Source provides the current catalog. Its methods are safe for concurrent use.
type Source interface {
	Catalog() *Catalog
	// Opened returns a channel that is closed once a client need not wait any longer for modules whose manifests are
	// not known yet.
	Opened() <-chan struct{}
	// Rescan looks for modules again. It returns when the catalog shows what was found, or ctx's error.
	Rescan(ctx context.Context) error
}

// List is a Source that never changes.
type List []*Domain

// Catalog returns the list as a catalog.
func (l List) Catalog() *Catalog { return &Catalog{Domains: l} }

// Opened returns a closed channel.
func (l List) Opened() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Rescan does nothing.
func (l List) Rescan(context.Context) error { return nil }
