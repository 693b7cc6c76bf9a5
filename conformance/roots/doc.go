// Package roots holds what keeps the files of a root ([files.Tree]), or a folder, against what a host promises of them: a save never
// destroys what somebody else has written since, of several that save at once one succeeds, a file is whole or not there, and no path
// leads out.
//
// A test calls [Test] with what it takes to have an empty root:
//
//	func TestMyTreeKeepsThePromises(t *testing.T) {
//		roots.Test(t, func(t testing.TB) roots.System {
//			at := fresh(t)
//			return roots.System{Open: func(t testing.TB) *files.Roots { return mine.Open(at) }, Other: mine.Raw(at)}
//		})
//	}
package roots
