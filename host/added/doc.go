// Package added keeps the plugins that a person has added: their modules, with what is signed of them, and a lock file that says which
// module each of them is, in one folder.
//
// Modules lie in files named by their bytes, so the lock file alone decides what is added: whoever is killed at any moment leaves the plugins
// of before or those of after, and perhaps files that the next change takes away.
package added
