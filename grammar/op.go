package grammar

import "github.com/fcp-host/fcp-host/abi"

// Op is one parsed op: what a domain gets, and what only its reader needs. Its Raw has all lines of a block op.
type Op struct {
	abi.Op
	// End is the line that closed Block.
	End string
	// Warnings are for the user, one line each. Only a repeated key causes one.
	Warnings []string
}
