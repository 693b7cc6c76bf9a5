//go:build unix

package files

import (
	"errors"
	"syscall"
)

// nonBlock keeps open from waiting if a FIFO appeared meanwhile.
const nonBlock = syscall.O_NONBLOCK

func isInvalid(err error) bool { return errors.Is(err, syscall.EINVAL) }
