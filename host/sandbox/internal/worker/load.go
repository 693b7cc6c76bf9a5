package worker

import (
	"encoding/binary"
	"encoding/json"
	"log/slog"
	"os"
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/layer"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
)

// Load sends the settings and the module and waits until the module is compiled or its code is loaded.
func (w *Process) Load(s Settings, wasm []byte, limit time.Duration) *fail.Error {
	_, failure := w.sendLoad(loadMessage{Settings: s}, wasm, limit)
	return failure
}

// SelfTest makes the process confine itself as for s, try what must be forbidden, and report what happened. It loads no module.
func (w *Process) SelfTest(s Settings, limit time.Duration) (*layer.Report, *fail.Error) {
	data, failure := w.sendLoad(loadMessage{Settings: s, SelfTest: true}, nil, limit)
	if failure != nil {
		return nil, failure
	}
	var r layer.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fail.New(fail.Worker, "", "its worker gave no report: %v", err)
	}
	for i := range r.Layers {
		l := &r.Layers[i]
		l.Name, l.Detail = fail.Escape(l.Name, 100), fail.Escape(l.Detail, 300)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.What, a.Result = fail.Escape(a.What, 100), fail.Escape(a.Result, 300)
	}
	return &r, nil
}

// sendLoad completes m and sends it with the module. It returns the output of the answer.
func (w *Process) sendLoad(m loadMessage, wasm []byte, limit time.Duration) ([]byte, *fail.Error) {
	m.Version, m.Limits, m.Code = protocolVersion, w.limits, w.code
	m.Own, m.Host = w.namespaces != confine.Shared, os.Getpid()
	head, err := json.Marshal(m)
	if err != nil {
		return nil, fail.New(fail.Worker, "", "encode the settings: %v", err)
	}
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	report, failure := w.request(limit, frame{kind: frameLoad}, "", size, head, wasm)
	return report.Output, failure
}

// Settings says what a worker does with its module.
type Settings struct {
	LogLevel  slog.Level        // the lowest level that is logged
	Compile   bool              // write the compiled code to the file and do nothing else
	Interpret bool              // interpret the module, do not compile it
	Require   layer.Requirement // without these layers the module is not loaded
}

// loadMessage is the JSON of a load frame.
type loadMessage struct {
	Settings
	Version  string // a mismatch means that the binary was replaced, since the host and its worker are the same one
	Limits   limits.Limits
	Code     string // the file of compiled code, as openCodeFile understands it; "" for none
	Own      bool   // whether the process has its own namespaces
	Host     int    // the PID of the host, for the self-test
	SelfTest bool   // load nothing and report what confines the process
}

// protocolVersion is the version of frames and settings.
const protocolVersion = "1"
