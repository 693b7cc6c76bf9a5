package pdk

import (
	"github.com/fcp-host/fcp-host/abi"
)

// Call runs one export on encoded input, as the host would. An export that may ask
// may return ErrAsks; then only abi.ExportResume may follow.
func (in *Instance[M]) Call(export string, input []byte) ([]byte, error) {
	if in.call != nil && export != abi.ExportResume {
		return nil, Errorf("this instance waits for %s, so it cannot do %s", abi.ExportResume, export)
	}
	switch export {
	case abi.ExportApply, abi.ExportReverse, abi.ExportReplay: // these yield after some steps
	default:
		defer yield()
	}
	switch export {
	case abi.ExportQuery, abi.ExportSession, abi.ExportExport, abi.ExportFetch, abi.ExportStore, abi.ExportTool:
		if in.asks {
			in.call = begin(func() ([]byte, error) { return in.dispatch(export, input) })
			return in.proceed()
		}
	case abi.ExportResume:
		return in.resume(input)
	}
	return in.dispatch(export, input)
}

// dispatch runs one export to its end.
func (in *Instance[M]) dispatch(export string, input []byte) ([]byte, error) {
	switch export {
	case abi.ExportManifest:
		return abi.Marshal(in.d.Manifest())
	case abi.ExportNew:
		return serve(input, in.New)
	case abi.ExportOpen:
		return serve(input, in.Open)
	case abi.ExportSave:
		return serve(input, in.Save)
	case abi.ExportApply:
		return serve(input, in.Apply)
	case abi.ExportQuery:
		return serve(input, in.Query)
	case abi.ExportReverse:
		return serve(input, in.Reverse)
	case abi.ExportReplay:
		return serve(input, in.Replay)
	case abi.ExportSession:
		return serve(input, in.Session)
	case abi.ExportExport:
		return serve(input, in.Export)
	case abi.ExportFetch:
		return serve(input, in.Fetch)
	case abi.ExportStore:
		return serve(input, in.Store)
	case abi.ExportTool:
		return serve(input, in.Tool)
	case abi.ExportState:
		return serve(nil, func(*struct{}) (*abi.StateResponse, error) { return in.State() })
	case abi.ExportHelp:
		return serve(nil, func(*struct{}) (*abi.HelpResponse, error) { return in.Help() })
	}
	return nil, Errorf("no export %q", export)
}

// serve decodes one request, runs f and encodes its answer. A nil input is that
// of an export that takes none.
func serve[In, Out any](input []byte, f func(*In) (*Out, error)) ([]byte, error) {
	req := new(In)
	if input != nil {
		if err := abi.Unmarshal(input, req); err != nil {
			return nil, Errorf("the request is not a valid message: %v", err)
		}
	}
	res, err := f(req)
	if err != nil {
		return nil, err
	}
	return abi.Marshal(res)
}
