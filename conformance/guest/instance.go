package guest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/resource"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// refusal is the domain's "no".
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// instance is a document in the module alone: without log, rollback, and cleaning of its answers.
type instance struct {
	j  *judge
	in *sandbox.Instance

	pid     int         // its worker's process, if known
	crossed *[]crossing // its calls; nil unless they are recorded
}

// newInstance starts an instance without a document.
func (j *judge) newInstance() (*instance, error) {
	in, err := j.box.NewInstance(j.ctx, j.o.instance)
	if err != nil {
		return nil, err
	}
	i := &instance{j: j, in: in, crossed: j.crossed}
	if j.limit > 0 {
		i.pid = j.box.Stats().PID
	}
	return i, nil
}

// newDocument starts an instance with the document that every walk starts with.
func (j *judge) newDocument() (*instance, error) {
	if j.base != nil {
		return j.openFile(j.base.data, false)
	}
	i, err := j.newInstance()
	if err != nil {
		return nil, err
	}
	var out abi.OpenResponse
	if err := i.call(abi.ExportNew, &abi.NewRequest{Title: "Conformance", Folder: j.folders()}, &out); err != nil {
		i.close()
		return nil, fmt.Errorf("fcp_new: %w", err)
	}
	j.checkState(&out.State)
	return i, nil
}

// close ends the instance; nil stands for one that could not be started.
func (i *instance) close() {
	if i != nil {
		i.j.memory = max(i.j.memory, i.in.Memory())
		i.in.Close()
	}
}

// errNone is the error of every call on an instance that could not be started.
var errNone = errors.New("no instance could be started")

// call runs an export. The error is a *refusal, or means that the instance can no longer be trusted.
func (i *instance) call(export string, in, out any) error {
	if i == nil {
		return errNone
	}
	var input []byte
	if in != nil {
		var err error
		if input, err = abi.Marshal(in); err != nil {
			return err
		}
	}
	i.j.heard.forget()
	late := i.watchProcessorTime()
	answer, err := i.runExport(export, in, input)
	if late() && err != nil {
		err = fmt.Errorf("it took more than %v of processor time and was stopped", i.j.limit)
	}
	if e, ok := errors.AsType[*sandbox.Error](err); ok && e.Kind == sandbox.KindRefused {
		return &refusal{e.Message}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", export, err)
	}
	if err := abi.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s returned a malformed answer: %w", export, err)
	}
	return nil
}

// watchProcessorTime kills the worker when it has used more processor time than a call may take. late stops that, and reports
// whether it happened.
func (i *instance) watchProcessorTime() (late func() bool) {
	limit := i.j.limit
	before, known := processorTime(i.pid)
	if limit == 0 || !known {
		return func() bool { return false }
	}
	over, ended := make(chan struct{}), make(chan bool, 1)
	go func() {
		for left := limit; left > 0; {
			timer := time.NewTimer(max(left, 10*time.Millisecond))
			select {
			case <-timer.C:
			case <-over:
				timer.Stop()
				ended <- false
				return
			}
			now, known := processorTime(i.pid)
			if !known { // it ended for another reason
				ended <- false
				return
			}
			left = limit - (now - before)
		}
		process, err := os.FindProcess(i.pid)
		ended <- err == nil && process.Kill() == nil
	}()
	return func() bool {
		close(over)
		return <-ended
	}
}

// runExport runs an export, which may ask if the module exports the continuation.
func (i *instance) runExport(export string, in any, input []byte) ([]byte, error) {
	if !i.j.hasExport(abi.ExportResume) || export == abi.ExportResume {
		answer, _, err := i.cross(export, input, false)
		return answer, err
	}
	t, ok := in.(*abi.ToolRequest)
	readOnly := ok && slices.ContainsFunc(i.j.m.Tools, func(k abi.Tool) bool { return k.Name == t.Name && k.ReadOnly })
	return i.exchange(export, readOnly, input)
}

// now and nonce are the time and the random bytes in every request: the same for the same call.
const now = 1_700_000_000_000

func nonce(of ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(of, "\n")))
	return sum[:16]
}

// applyAll runs ops and returns their events, also those before one that is refused, which is the error.
func (i *instance) applyAll(ops []abi.Op) (events []abi.Event, err error) {
	out, err := i.apply(false, nil, ops...)
	if err != nil {
		return nil, err
	}
	for k := range out.Results {
		r := &out.Results[k]
		if events = append(events, r.Events...); r.Error != nil {
			return events, &refusal{r.Error.Message}
		}
	}
	return events, nil
}

func (i *instance) apply(each bool, recent []string, ops ...abi.Op) (*abi.ApplyResponse, error) {
	if i == nil {
		return nil, errNone
	}
	var out abi.ApplyResponse
	req := &abi.ApplyRequest{Ops: ops, Each: each, Recent: recent, Resources: i.j.mediaOf(ops)}
	if i.j.m.Stamps {
		req.Now, req.Nonce = now, nonce(append(slices.Clone(recent), ops[0].Raw)...)
	}
	if err := i.call(abi.ExportApply, req, &out); err != nil {
		return nil, err
	}
	n := len(out.Results)
	stopped := n > 0 && out.Results[n-1].Error != nil
	switch {
	case n > len(ops), n < len(ops) && (each || !stopped):
		return nil, fmt.Errorf("fcp_apply returned %d results for %d operations", n, len(ops))
	}
	for k := range out.Results {
		if out.Results[k].Error != nil && !each && k < n-1 {
			return nil, fmt.Errorf("fcp_apply continued after operation %d, which failed", k+1)
		}
		i.j.checkResult(&out.Results[k], ops[k].Raw)
	}
	i.j.checkState(&out.State)
	return &out, nil
}

// probed is ffprobe's output for a film with sound: every medium that an op names is one.
const probed = `{"streams": [{"codec_type": "video", "codec_name": "h264", "width": 1920, "height": 1080, "r_frame_rate": "30/1", "avg_frame_rate": "30/1", "duration": "60.000000"},
	{"codec_type": "audio", "codec_name": "aac", "sample_rate": "48000", "channels": 2, "duration": "60.000000"}], "chapters": [], "format": {"format_name": "mov,mp4", "duration": "60.000000"}}`

// mediaOf returns the media that ops name. Other resources do not exist.
func (j *judge) mediaOf(ops []abi.Op) (out []abi.Supply) {
	for n := range ops {
		for _, v := range j.m.Verbs {
			if v.Name != ops[n].Verb {
				continue
			}
			for _, w := range resource.Words(v.Resources, &ops[n], n) {
				takes := func(ending string) bool { return strings.HasSuffix(strings.ToLower(w.Text), ending) }
				if w.As.Kind == abi.ResourceProbe && slices.ContainsFunc(w.As.Accept, takes) {
					out = append(out, abi.Supply{Op: n, Word: w.Text, Kind: w.As.Kind, Name: path.Base(w.Text), Data: []byte(probed)})
				}
			}
		}
	}
	return out
}

// runEvents runs fcp_reverse or fcp_replay, in several calls if there are many bytes.
func (i *instance) runEvents(export string, events []abi.Event) error {
	for len(events) > 0 {
		n, size := 0, 0
		for n < len(events) && (n == 0 || size+len(events[n].Data) < 16<<20) {
			size += len(events[n].Data)
			n++
		}
		var out abi.StateResponse
		if err := i.call(export, &abi.EventsRequest{Events: events[:n]}, &out); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

// reverse reverses events, given in the order in which they happened.
func (i *instance) reverse(events []abi.Event) error {
	back := slices.Clone(events)
	slices.Reverse(back)
	return i.runEvents(abi.ExportReverse, back)
}

func (i *instance) replay(events []abi.Event) error { return i.runEvents(abi.ExportReplay, events) }

// save returns a file's bytes; for a folder, all files, packed.
func (i *instance) save(snapshot bool) ([]byte, error) {
	if i == nil {
		return nil, errNone
	}
	if i.j.folders() && !snapshot {
		files, err := i.wholeFolder()
		if err != nil {
			return nil, err
		}
		return packFolder(files)
	}
	var out abi.SaveResponse
	err := i.call(abi.ExportSave, &abi.SaveRequest{Snapshot: snapshot}, &out)
	return out.Data, err
}

// moment is everything that can tell two states of a document apart.
type moment struct {
	data  []byte
	state []byte // encoded
	text  string // the digest
}

func (i *instance) moment() (moment, error) {
	var s abi.StateResponse
	if err := i.call(abi.ExportState, nil, &s); err != nil {
		return moment{}, err
	}
	state, err := abi.Marshal(&s.State)
	if err != nil {
		return moment{}, err
	}
	data, err := i.save(false)
	return moment{data, state, s.State.Digest}, err
}

// against says how a document differs from was after something was done to it, or why that failed; "" if neither. ok is false if it
// failed.
func (i *instance) against(was moment, err error) (fault string, ok bool) {
	var now moment
	if err == nil {
		now, err = i.moment()
	}
	if err != nil {
		return err.Error(), false
	}
	return difference(was, now), true
}

// difference says how now differs from was, or returns "".
func difference(was, now moment) string {
	if !bytes.Equal(was.data, now.data) {
		at := 0
		for at < len(was.data) && at < len(now.data) && was.data[at] == now.data[at] {
			at++
		}
		return fmt.Sprintf("the bytes differ from offset %d\n  should be %s\n  is        %s", at, around(was.data, at), around(now.data, at))
	}
	if !bytes.Equal(was.state, now.state) {
		if was.text != now.text {
			return fmt.Sprintf("the digest should be %q and is %q", was.text, now.text)
		}
		return "title, counts or warnings of the state differ"
	}
	return ""
}

// around prints the bytes near an offset.
func around(data []byte, at int) string {
	from, to := max(0, at-24), min(len(data), at+48)
	s := fmt.Sprintf("%q", data[from:to])
	if from > 0 {
		s = "…" + s
	}
	if to < len(data) {
		s += "…"
	}
	return s
}
