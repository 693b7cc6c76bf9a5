package timeline

import "github.com/fcp-host/fcp-host/abi"

func selectors() []abi.Selector { return nil }
