// Package confine confines a process of the host before it handles untrusted data. The workers of plugins
// (host/sandbox) and the cages of programs (host/capability/program) use it.
package confine

// Layer is one of the system's mechanisms that confine a process.
type Layer struct {
	Name   string // "limits", "namespaces", "root", "capabilities", "no_new_privs", "landlock", "seccomp"
	On     bool
	Detail string // what it does, or why it is off, on one line
}

// NamespaceLayer describes the namespaces of a process, which has its own if own is set.
func NamespaceLayer(own bool) Layer {
	if !own {
		return Layer{Name: "namespaces", Detail: "the system does not let this user make them"}
	}
	return Layer{Name: "namespaces", On: true, Detail: "processes, network, IPC, mounts, host name: none but its own"}
}

// Namespaces says which Linux namespaces a process has of its own.
type Namespaces int

const (
	Shared  Namespaces = iota // none
	OwnUser                   // all, including a user namespace
	OwnAll                    // all but a user namespace
)
