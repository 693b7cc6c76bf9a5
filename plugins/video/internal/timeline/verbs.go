package timeline

import "github.com/fcp-host/fcp-host/abi"

func verbs() []verb { return []verb{addVerb()} }

func conventions() []string { return nil }

func vocabulary() []abi.Section { return nil }

func synonyms() []abi.Synonym { return nil }
