//go:build unix

package files

import (
	"errors"
	"syscall"
)

// nonBlock keeps the open of a FIFO that appeared meanwhile from waiting.
const nonBlock = syscall.O_NONBLOCK

func isInvalid(err error) bool { return errors.Is(err, syscall.EINVAL) }
