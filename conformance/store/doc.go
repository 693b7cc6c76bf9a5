// Package store holds a store of journals ([journal.Store]) against what it promises: what was acknowledged is there, each record once
// and in order, for whichever host comes next, and who does not own a journal any more writes nothing to it.
//
// A test of a store calls [Test] with what it takes to have a fresh one:
//
//	func TestMyStoreKeepsItsPromise(t *testing.T) {
//		store.Test(t, func(t testing.TB) store.System {
//			name := fresh(t)
//			return store.System{Open: func(t testing.TB, l journal.Limits) journal.Store { return mine.Open(name, l) }}
//		})
//	}
package store
