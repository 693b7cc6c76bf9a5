package guest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk/pdktest/damage"
)

// Sample is a user's file, or a folder if the domain's documents are folders.
type Sample struct {
	Name  string
	Data  []byte
	Files map[string][]byte // of a folder, by their names below it
}

// Opened is the result for a sample.
type Opened struct {
	Name    string `json:"name"`
	Size    int    `json:"size"` // bytes
	Refused string `json:"refused,omitempty"`
}

// base is what documents start from instead of a new one.
type base struct {
	what string // in problems
	data []byte // as j.openFile takes it
}

// withBase runs checks on documents that start from b.
func (j *judge) withBase(b *base, run func()) {
	was := j.base
	j.base = b
	defer func() { j.base = was }()
	run()
}

// pack returns a sample in the form that j.openFile takes.
func (j *judge) pack(s *Sample) ([]byte, error) {
	if !j.folders() {
		return s.Data, nil
	}
	var list []abi.FileChange
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		list = append(list, abi.FileChange{Name: name, Data: s.Files[name]})
	}
	return packFolder(list)
}

// checkGivenSamples opens each of the given samples, and damaged copies of some.
func (j *judge) checkGivenSamples(pool []abi.Op) {
	most := min(len(j.samples), j.attempts(10))
	for i := range j.samples {
		s := &j.samples[i]
		data, err := j.pack(s)
		if err != nil || j.over() {
			return
		}
		opened := Opened{Name: s.Name, Size: len(data)}
		no, ok := j.checkLossless(s.Name, data)
		if opened.Refused = no; ok {
			j.checkEditing(&base{s.Name, data}, pool)
		}
		j.report.Samples = append(j.report.Samples, opened)
		// Damage some of them, evenly spread, including the first.
		if i*most/len(j.samples) != (i-1)*most/len(j.samples) || i == 0 {
			j.checkDamagedCopies(s.Name, data, pool)
		}
	}
}

// checkDamagedSaves opens damaged copies of what the walk has saved.
func (j *judge) checkDamagedSaves(w *walked, pool []abi.Op) {
	if w != nil && !j.over() {
		j.checkDamagedCopies("what was saved", w.last.data, pool)
		j.checkLongID(w, pool)
	}
}

// checkDamagedCopies opens copies of a file with damage as other programs may cause it, and edits those that open.
func (j *judge) checkDamagedCopies(name string, data []byte, pool []abi.Op) {
	ways := damage.Ways()
	edits := j.attempts(len(ways))
	for _, w := range ways {
		copied, changed := j.damageFile(data, w.Of)
		if !changed || j.over() {
			continue
		}
		what := name + " " + w.Name
		if _, ok := j.checkLossless(what, copied); ok && (w.Edit || edits > 1) {
			j.checkEditing(&base{what, copied}, pool)
		}
	}
	for range j.attempts(24) {
		w := damage.Cut(j.rand.Float64())
		if copied, changed := j.damageFile(data, w.Of); changed && !j.over() {
			j.checkLossless(name+" "+w.Name, copied)
		}
	}
}

// checkLossless checks that a file is saved unchanged, or refused. A change needs a warning.
func (j *judge) checkLossless(what string, data []byte) (refused string, ok bool) {
	doc, out, err := j.openFileResponse(data, false)
	if no, ok := errors.AsType[*refusal](err); ok {
		j.expect("samples", strings.TrimSpace(no.text) != "", "%s is refused without a reason", what)
		return firstLine(no.text), false
	}
	if !j.countFault("opening "+what, err) {
		return "", false
	}
	defer doc.close()
	saved, err := doc.save(false)
	if !j.expect("samples", err == nil, "%s can be opened but not saved: %s", what, problem(err)) {
		return "", false
	}
	told := len(out.Warnings)+len(out.State.Warnings) > 0
	d := difference(moment{data: data}, moment{data: saved})
	return "", j.expect("samples", d == "" || told, "%s opens without a warning, and saving it without an edit changes it: %s", what, d) && d == ""
}

// checkEditing applies the examples to an opened document, and reverses each to the exact bytes.
func (j *judge) checkEditing(b *base, pool []abi.Op) {
	times := map[string]int{}
	pool = slices.DeleteFunc(slices.Clone(pool), func(op abi.Op) bool {
		times[op.Verb]++
		return times[op.Verb] > j.attempts(2*perVerb)
	})
	j.withBase(b, func() {
		w := j.walkRound(nil, pool)
		if w == nil {
			return
		}
		fault, _ := w.doc.against(w.first, w.doc.reverse(w.events(0)))
		j.expect("reverse", fault == "", "after reversing all %d operations: %s", len(w.log), fault)
		w.doc.close()
	})
}

// checkLongID puts an id of 300 bytes into a file, which the domain's own ops may not allow, and edits the element.
func (j *judge) checkLongID(w *walked, pool []abi.Op) {
	long := []byte(strings.Repeat("x", longID))
	tried := 0
	for _, id := range recent(w.log) {
		if len(id) < 2 || !bytes.Contains(w.last.data, []byte(id)) {
			continue
		}
		if tried++; tried > j.attempts(3) || j.over() {
			return
		}
		copied, changed := j.damageFile(w.last.data, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(id), long) })
		if !changed {
			continue
		}
		what := fmt.Sprintf("what was saved, with %q made %d bytes long", id, longID)
		if _, ok := j.checkLossless(what, copied); !ok {
			continue
		}
		var ops []abi.Op
		for _, op := range pool {
			for _, p := range op.Positionals {
				if parsed := j.reparse(op); len(parsed) > 0 && p.Text != "" {
					for k := range parsed[0].Positionals {
						if parsed[0].Positionals[k].Text == p.Text {
							parsed[0].Positionals[k].Text = string(long)
						}
					}
					if renamed, err := j.printAndParse(parsed[0]); err == nil {
						ops = append(ops, renamed)
					}
				}
			}
		}
		j.checkEditing(&base{what, copied}, slices.Concat(ops, j.onAllElements(pool), pool))
	}
}

// longID is longer than ids may be.
const longID = abi.MaxID + 44

// damageFile changes a file, or each of the first files of a folder.
func (j *judge) damageFile(data []byte, change func([]byte) []byte) (copied []byte, changed bool) {
	if !j.folders() {
		copied = change(data)
		return copied, copied != nil
	}
	files := map[string][]byte{}
	for _, f := range unpackFolder(data) {
		files[f.Name] = f.Data
		if c := change(f.Data); c != nil {
			files[f.Name], changed = c, true
		}
	}
	copied, err := j.pack(&Sample{Files: files})
	return copied, changed && err == nil
}
