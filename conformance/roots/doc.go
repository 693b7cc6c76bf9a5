// Package roots tests a storage of root files ([files.Tree]), or a folder, for the host's promises: a save never
// overwrites somebody else's newer content, exactly one of several concurrent saves succeeds, a file is complete or
// absent, and no path leads out of the root.
//
// A test calls [Test] with a function that returns an empty root:
//
//	func TestMyTreeKeepsThePromises(t *testing.T) {
//		roots.Test(t, func(t testing.TB) roots.System {
//			at := fresh(t)
//			return roots.System{Open: func(t testing.TB) *files.Roots { return mine.Open(at) }, Other: mine.Raw(at)}
//		})
//	}
package roots
