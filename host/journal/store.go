package journal

import (
	"iter"
	"time"
)

// Store keeps the journals of documents, one each. Several hosts may use a store at the same time; each journal has one
// owner among them. A [Dir] keeps them as plain files. Package conformance/store checks any implementation against what
// is said here.
//
// A store is safe for concurrent use; a [Journal] is not.
type Store interface {
	// Create makes a journal of an owner, "" or a principal, with its first records; its ID is [ID] of the owner and
	// the key, for example one of [NewKey]. When it returns, the records are durable. [ErrNoRoom] and [ErrFull] are
	// returned before anything is written. After another error the same host may create it again, with other records.
	Create(owner, key string, records iter.Seq[Record]) (Journal, error)
	// Take makes this host the owner of a leftover journal, and returns its contents. It returns [ErrTaken] if another
	// host owns it, and [ErrGone] if it does not exist.
	Take(id string) (Journal, Contents, error)
	// Read reads a journal without taking it.
	Read(id string) (Contents, error)
	// Discard removes a leftover journal, whatever it holds. It returns [ErrTaken] and [ErrGone] as Take does.
	Discard(id string) error

	// Left lists the journals that no living host owns, newest first.
	Left() ([]Left, error)
	// Held lists the IDs of an owner's journals that a living host owns, this one or another.
	Held(owner string) (ids []string, err error)
	// Use returns how many bytes the journals of all hosts use, and how many they may.
	Use() (taken, most int64, err error)
	// Cap is the maximum size of one journal, in bytes.
	Cap() int64

	// Age is for how long a leftover journal is kept; Expired reports whether one is older.
	Age() time.Duration
	Expired(l Left) bool
	// MarkListed records that a user was shown an expired journal with its date; Listed reports whether that was before this
	// host opened the store. It does not count if the journal has changed since.
	MarkListed(l Left) error
	Listed(l Left) bool
}

// Journal is a journal that this host owns. It must not be used after Close or Remove.
type Journal interface {
	// ID is the journal's ID in its store.
	ID() string
	// Size is how many bytes of its cap it uses.
	Size() int64
	// Append adds a record. When it returns nil, the record is durable; after an error it is not part of the journal.
	// [ErrFull] and [ErrNoRoom] are returned before anything is written. After [ErrTaken] or [ErrGone] this host no
	// longer owns the journal, and cannot write to it.
	Append(r Record) error
	// Note adds a record that may be lost, until the next Append, if the store fails, but not if this host dies: one
	// that only says what can also be found out otherwise.
	Note(r Record) error
	// Rewrite replaces the journal's records atomically. After an error the old ones are still there.
	Rewrite(records iter.Seq[Record]) error
	// Held reports, without asking the store, whether no other host can own the journal.
	Held() bool
	// Hold asks the store to make the journal held again. It returns [ErrTaken] or [ErrGone] if another host has taken
	// the journal meanwhile, even if that host has closed it since.
	Hold() error
	// Broken reports that only Rewrite is possible: an earlier failure left the journal in doubt, or it was taken
	// damaged or in an older format.
	Broken() bool
	// Kept is the name under which a Rewrite kept damaged data, "" if there was none.
	Kept() string
	// Renew resets the age of an expired journal, because somebody wants it.
	Renew()
	// Close releases the journal for a later host.
	Close() error
	// Remove removes the journal, whose records are no longer needed.
	Remove() error
}

// Cluster is a store whose hosts can find each other.
type Cluster interface {
	Store
	// Host is the name of this host.
	Host() string
	// Holder is the name of the living host that owns a journal, "" if there is none.
	Holder(id string) (host string, err error)
	// Address is the URL of a living host, as it gave it when it opened the store; "" if it gave none or is not alive.
	Address(host string) (string, error)
}

var (
	_ Store   = (*Dir)(nil)
	_ Journal = (*File)(nil)
)
