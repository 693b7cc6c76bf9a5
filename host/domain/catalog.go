package domain

import "context"

// Catalog lists the domains that are served at one moment, and the modules that are not. It is immutable: when something
// changes, its Source has another one.
type Catalog struct {
	Domains []*Domain
	Absent  []Absent        // modules that are not served
	Pending int             // how many of Absent may still be served
	Next    <-chan struct{} // closed when there is another catalog; nil where none will come

	Watched   []string // folders and files that are looked at anew when they change
	Unwatched string   // why others, or all, are not, "" where nothing is missing
}

// Absent is a module that is not served.
type Absent struct {
	Later bool   // it may still be served
	Name  string // of its file, or what the user called it
	Path  string // of its file, where it has one
	Build string // its sha256, hex, "" where it is not known
	Why   string // one line; parts of it may be the module's own text
}

// Source has the current catalog. Its methods may be called by several goroutines.
type Source interface {
	Catalog() *Catalog
	// Opened returns a channel that is closed when a client need not wait any longer for modules that nothing is known of yet.
	Opened() <-chan struct{}
	// Rescan looks anew at where the modules come from, and returns when the catalog says what was found, or ctx is done, which is
	// an error.
	Rescan(ctx context.Context) error
}

// List is a source that never changes.
type List []*Domain

// Catalog lists the domains.
func (l List) Catalog() *Catalog { return &Catalog{Domains: l} }

// Opened returns a closed channel.
func (l List) Opened() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Rescan finds nothing new.
func (l List) Rescan(context.Context) error { return nil }
