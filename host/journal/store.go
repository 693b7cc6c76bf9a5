package journal

import (
	"iter"
	"time"
)

// Store keeps the journals of documents, one for each. Several hosts may use one store at a time; each journal has one owner among them.
// A [Dir] is one, with plain files. Package conformance/store holds any implementation to what is said here.
//
// A store is safe for concurrent use, a [Journal] is not.
type Store interface {
	// Create makes a journal of an owner, "" or a principal, with its first records; its ID is [ID] of the owner and the key, such as
	// [NewKey] gives. When it returns, the records are durable. [ErrNoRoom] and [ErrFull] are errors before anything is there. After
	// another error the same host may create it again, with other records.
	Create(owner, key string, records iter.Seq[Record]) (Journal, error)
	// Take makes this host the owner of a journal that was left, and gives what it holds. The errors are [ErrTaken] where another host
	// owns it, and [ErrGone] where it is not there.
	Take(id string) (Journal, Contents, error)
	// Read gives what a journal holds, without taking it.
	Read(id string) (Contents, error)
	// Discard removes a journal that was left, whatever it holds: [ErrTaken] and [ErrGone] as with Take.
	Discard(id string) error

	// Left lists the journals that no living host owns, the newest first.
	Left() ([]Left, error)
	// Held lists the IDs of an owner's journals that a living host owns, this one or another.
	Held(owner string) (ids []string, err error)
	// Use returns how many bytes all journals take, those of other hosts included, and how many they may.
	Use() (taken, most int64, err error)
	// Cap is the most bytes that one journal may have.
	Cap() int64

	// Age is how long a journal that was left is kept, and Expired whether one was left for longer.
	Age() time.Duration
	Expired(l Left) bool
	// List notes that a user was shown an expired journal with its date, and Listed reports whether that was before this host opened
	// the store. A journal that is newer than the note was not shown.
	List(l Left) error
	Listed(l Left) bool
}

// Journal is a journal that this host owns. After Close or Remove it is not used.
type Journal interface {
	// ID names the journal in its store.
	ID() string
	// Size is what it takes of its cap, in bytes.
	Size() int64
	// Append adds a record. When it returns nil, the record is durable; after an error, it is not part of the journal. [ErrFull] and
	// [ErrNoRoom] are errors before anything was written. [ErrTaken] and [ErrGone] say that this host does not own the journal any
	// more: nothing that it writes gets there.
	Append(r Record) error
	// Note adds a record that a failure of the store may take away again, up to the next Append: one that only says what can be found
	// out otherwise. The death of this host does not.
	Note(r Record) error
	// Rewrite replaces what the journal holds, at once: at any instant either the old records or the new ones are there. After an
	// error the old ones still are.
	Rewrite(records iter.Seq[Record]) error
	// Held reports, without asking the store, whether no other host can own the journal.
	Held() bool
	// Hold asks the store for what Held reports, and has the journal held again unless another host has taken it meanwhile, even if
	// that has let go of it: the error is [ErrTaken] or [ErrGone] then, as with Append.
	Hold() error
	// Broken reports that only Rewrite can go on: an earlier failure left the journal in doubt, or it was taken damaged or in an older
	// format.
	Broken() bool
	// Kept is where a Rewrite kept what was damaged, "" where nothing was.
	Kept() string
	// Renew makes a journal that had expired young again: somebody wants it.
	Renew()
	// Close lets go of the journal and leaves it for a later host.
	Close() error
	// Remove ends the journal: what it held is not needed any more.
	Remove() error
}

// Cluster is a store whose hosts can find each other.
type Cluster interface {
	Store
	// Host is the name of this host.
	Host() string
	// Holder is the name of the living host that owns a journal, "" for none.
	Holder(id string) (host string, err error)
	// Address is where the other hosts reach a living host, as it said when it opened the store; "" where it said nothing or is gone.
	Address(host string) (string, error)
}

var (
	_ Store   = (*Dir)(nil)
	_ Journal = (*File)(nil)
)
