// Package store checks a store of journals ([journal.Store]): each acknowledged record is there, once and in order, for
// whichever host comes next, and a host that no longer owns a journal cannot write to it. A test of a store calls
// [Test] with a function that returns an empty store:
//
//	func TestMyStoreKeepsItsPromise(t *testing.T) {
//		store.Test(t, func(t testing.TB) store.System {
//			name := fresh(t)
//			return store.System{Open: func(t testing.TB, l journal.Limits) journal.Store { return mine.Open(name, l) }}
//		})
//	}
package store
