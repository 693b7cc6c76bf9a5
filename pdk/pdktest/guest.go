package pdktest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// guest is one instance; run calls an export by name.
type guest struct {
	run func(export string, input []byte) ([]byte, error)
	d   *domain
}

// request is one call on a guest.
type request struct {
	export string
	input  any
}

// readOnly reports whether a call may make only requests that read.
func (r *request) readOnly(m *abi.Manifest) bool {
	if t, ok := r.input.(*abi.ToolRequest); ok {
		return slices.ContainsFunc(m.Tools, func(k abi.Tool) bool { return k.Name == t.Name && k.ReadOnly })
	}
	return r.export == abi.ExportQuery || r.export == abi.ExportFetch
}

// call calls one export with encoded messages, as the host does. The error is the
// export's refusal. The response is decoded into out and checked as in the host.
func (g guest) call(r request, out any) error {
	var input []byte
	if r.input != nil {
		var err error
		if input, err = abi.Marshal(r.input); err != nil {
			return err
		}
	}
	answer, err := g.run(r.export, input)
	if errors.Is(err, pdk.ErrAsks) {
		answer, err = g.d.world.answer(g, r.readOnly(&g.d.manifest), answer)
	}
	if err != nil {
		return err
	}
	if err := abi.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s gave a malformed answer: %w", r.export, err)
	}
	return nil
}
