package guest

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// fileName returns a base name as a user's file might have it.
func (j *judge) fileName() string {
	if len(j.m.Extensions) > 0 {
		return "conformance" + j.m.Extensions[0]
	}
	return "conformance"
}

// openFile returns a new instance that has opened a file.
func (j *judge) openFile(data []byte, snapshot bool) (*instance, error) {
	i, _, err := j.openFileResponse(data, snapshot)
	return i, err
}

// openFileResponse is like openFile and also returns the response.
func (j *judge) openFileResponse(data []byte, snapshot bool) (*instance, *abi.OpenResponse, error) {
	i, err := j.newInstance()
	if err != nil {
		return nil, nil, err
	}
	var out abi.OpenResponse
	req := &abi.OpenRequest{Name: j.fileName(), Data: data, Snapshot: snapshot, Folder: j.folders()}
	if req.Folder && !snapshot {
		req.Data, req.Files = nil, unpackFolder(data)
	}
	if err := i.call(abi.ExportOpen, req, &out); err != nil {
		i.close()
		return nil, nil, err
	}
	j.checkState(&out.State)
	return i, &out, nil
}

// checkSaves saves the document along the log, opens and saves the result again, and applies the rest of the log to it.
func (j *judge) checkSaves(w *walked) {
	// Some of the digest need not be saved, such as the current page. But something must be.
	if len(w.log) >= 3 {
		j.expect("save", w.wrote, "none of the %d operations that worked changed the saved file", len(w.log))
	}
	for _, v := range j.m.Verbs {
		if saved, made := w.made[v.Name]; made {
			j.expect("save", saved, "what the operations of the verb %s created, connected or deleted never changed the saved file", v.Name)
		}
	}
	places := []int{0, len(w.log)}
	for range j.attempts(4) {
		places = append(places, j.rand.IntN(len(w.log)+1))
	}
	slices.Sort(places)
	for _, at := range slices.Compact(places) {
		if j.late() {
			return
		}
		var before []abi.Event
		for _, d := range w.log[:at] {
			before = append(before, d.result.Events...)
		}
		doc, err := j.documentFrom(before)
		if err != nil {
			j.countFault("replaying a part of the log", err)
			return
		}
		saved, err := doc.save(false)
		base := saved
		if err == nil && j.m.Snapshots {
			base, err = doc.save(true)
		}
		doc.close()
		if err != nil {
			j.expect("save", false, "after %d operations the document cannot be saved: %v", at, err)
			continue
		}
		j.checkSavedTwice(at, saved)
		j.checkFolding(w, at, base)
	}
}

func (j *judge) checkSavedTwice(at int, saved []byte) {
	doc, err := j.openFile(saved, false)
	if !j.expect("save", err == nil, "the file saved after %d operations cannot be opened: %v", at, err) {
		return
	}
	defer doc.close()
	again, err := doc.save(false)
	if !j.expect("save", err == nil, "the file saved after %d operations can be opened but not saved: %v", at, err) {
		return
	}
	d := difference(moment{data: saved}, moment{data: again})
	j.expect("save", d == "", "after %d operations, save, open and save: %s", at, d)
}

func (j *judge) checkFolding(w *walked, at int, base []byte) {
	doc, err := j.openFile(base, j.m.Snapshots)
	if !j.expect("folding", err == nil, "the file saved after %d operations cannot be opened: %v", at, err) {
		return
	}
	defer doc.close()
	if err := doc.replay(w.events(at)); err != nil {
		j.expect("folding", false, "saved after %d operations and opened, it refuses the events of the other %d: %v%s", at, len(w.log)-at, err, j.snapshotHint())
		return
	}
	now, err := doc.save(false)
	if err != nil {
		j.expect("folding", false, "saved after %d operations, opened and replayed, it cannot be saved: %v", at, err)
		return
	}
	d := difference(moment{data: w.last.data}, moment{data: now})
	j.expect("folding", d == "", "saved after %d operations, opened, the other %d replayed: %s%s", at, len(w.log)-at, d, j.snapshotHint())
}

func (j *judge) snapshotHint() string {
	if j.m.Snapshots {
		return ""
	}
	return "\n  (if ids do not survive a save, declare snapshots)"
}

// checkWithoutDocument calls exports on an instance without a document.
func (j *judge) checkWithoutDocument() {
	calls := []struct {
		export string
		in     any
	}{
		{abi.ExportSave, &abi.SaveRequest{}},
		{abi.ExportState, nil},
		{abi.ExportApply, &abi.ApplyRequest{}},
		{abi.ExportQuery, &abi.QueryRequest{Query: abi.Op{Verb: "map", Raw: "map"}}},
		{abi.ExportReverse, &abi.EventsRequest{}},
		{abi.ExportReplay, &abi.EventsRequest{}},
	}
	for _, c := range calls {
		i, err := j.newInstance()
		if !j.countFault("starting an instance", err) {
			return
		}
		var out struct{}
		err = i.call(c.export, c.in, &out)
		i.close()
		var no *refusal
		switch {
		case errors.As(err, &no):
			j.countFault("", nil)
		case err == nil:
			j.expect("endurance", false, "%s succeeds on an instance without a document; it must refuse", c.export)
		default:
			j.countFault(c.export+" on an instance without a document", err)
		}
	}
	if _, ok := j.box.Info().Func(abi.ExportHelp); ok {
		i, err := j.newInstance()
		if !j.countFault("starting an instance", err) {
			return
		}
		var out abi.HelpResponse
		err = i.call(abi.ExportHelp, nil, &out)
		i.close()
		j.expect("endurance", err == nil, "fcp_help fails on an instance without a document: %v", err)
	}
}

// checkInvalidFiles opens invalid files. A plugin may refuse or open them, but not trap.
func (j *judge) checkInvalidFiles(w *walked) {
	if j.folders() {
		return
	}
	var good []byte
	if w != nil {
		good = w.last.data
	}
	bad := [][]byte{nil, {0}, []byte("\n"), []byte("no file of this kind"), {0xff, 0xfe, 0x00, 0x80}, make([]byte, 4096)}
	for _, n := range []int{1, len(good) / 4, len(good) / 2, len(good) - 1} {
		if n > 0 && n < len(good) {
			bad = append(bad, good[:n])
		}
	}
	for range j.attempts(8) {
		if len(good) == 0 {
			break
		}
		b := slices.Clone(good)
		for range 1 + j.rand.IntN(4) {
			b[j.rand.IntN(len(b))] = byte(j.rand.IntN(256))
		}
		bad = append(bad, b)
	}
	for _, data := range bad {
		if j.late() {
			return
		}
		doc, err := j.openFile(data, false)
		if !j.countFault(fmt.Sprintf("opening a file of %d bytes that starts %q", len(data), clip(string(data))), err) {
			if j.over() {
				return
			}
			continue
		}
		if err != nil {
			j.checkLine("the refusal of a file", firstLine(err.Error()), abi.MaxError)
			continue
		}
		_, err = doc.moment()
		doc.close()
		j.countFault(fmt.Sprintf("saving a file of %d bytes that was opened", len(data)), err)
	}
}

func firstLine(s string) string {
	for i := range s {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return s
}

// checkLargeCall sends many ops in one call.
func (j *judge) checkLargeCall(pool []abi.Op) {
	if len(pool) == 0 || j.over() {
		return
	}
	many := j.attempts(500)
	ops := make([]abi.Op, many)
	for k := range ops {
		ops[k] = pool[k%len(pool)]
	}
	doc, err := j.newDocument()
	if !j.countFault("making a new document", err) || err != nil {
		return
	}
	defer doc.close()
	out, err := doc.apply(true, nil, ops...)
	if j.countFault(fmt.Sprintf("a call of %d operations", many), err) && err == nil {
		j.expect("endurance", len(out.Results) == many, "a call of %d operations gave %d results", many, len(out.Results))
	}
}

// checkKilled kills the worker of a document, as the host may have to, and rebuilds the document.
func (j *judge) checkKilled(w *walked) {
	doc, err := j.documentFrom(w.events(0))
	if err != nil {
		return // the check "recovery" reports it
	}
	defer doc.close()
	pid := j.box.Stats().PID
	process, err := os.FindProcess(pid)
	if pid == 0 || err != nil {
		return
	}
	if err := process.Kill(); err != nil {
		return
	}
	_, err = doc.save(false)
	var lost *sandbox.Error
	j.expect("killed", errors.As(err, &lost) && lost.Fatal(), "a call to a killed process did not fail: %v", err)
	again, err := j.documentFrom(w.events(0))
	if !j.expect("killed", err == nil, "after its process was killed the log cannot be replayed: %v", err) {
		return
	}
	defer again.close()
	fault, _ := again.against(w.last, nil)
	j.expect("killed", fault == "", "after its process was killed and the log replayed: %s", fault)
}
