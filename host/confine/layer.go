// Package confine is what a process of the host's own gives up before it deals with what is not trusted: the workers of plugins
// (host/sandbox) and the cages of programs (host/capability/program) are built of it.
package confine

// Layer is one of the system's own confinements around a process.
type Layer struct {
	Name   string // "limits", "namespaces", "root", "capabilities", "no_new_privs", "landlock", "seccomp"
	On     bool
	Detail string // what it does, or why it is off; one line
}

// Namespaces says which of the system's namespaces a process has for itself.
type Namespaces int

const (
	Shared  Namespaces = iota // none
	OwnUser                   // all, that of users among them
	OwnAll                    // all but that of users
)
