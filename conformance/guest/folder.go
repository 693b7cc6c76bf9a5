package guest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
)

// folders reports whether all documents of the domain are folders.
func (j *judge) folders() bool { return j.m.Folder != nil && len(j.m.Extensions) == 0 }

// wholeFolder returns all files of a folder document.
func (i *instance) wholeFolder() ([]abi.FileChange, error) {
	var out abi.SaveResponse
	err := i.call(abi.ExportSave, &abi.SaveRequest{Whole: true}, &out)
	return out.Files, err
}

// packFolder encodes a folder as one byte slice, for the checks that compare and open documents.
func packFolder(files []abi.FileChange) ([]byte, error) {
	slices.SortFunc(files, func(a, b abi.FileChange) int { return strings.Compare(a.Name, b.Name) })
	return abi.Marshal(&abi.SaveResponse{Files: files})
}

// unpackFolder reverses packFolder; nil if data is not a packed folder.
func unpackFolder(data []byte) (files []abi.File) {
	var out abi.SaveResponse
	if abi.Unmarshal(data, &out) != nil {
		return nil
	}
	for _, f := range out.Files {
		files = append(files, abi.File{Name: f.Name, Data: f.Data})
	}
	return files
}

// openFolder opens a folder with the files.
func (j *judge) openFolder(files map[string][]byte) (*instance, error) {
	i, err := j.newInstance()
	if err != nil {
		return nil, err
	}
	req := &abi.OpenRequest{Name: "conformance", Folder: true}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		req.Files = append(req.Files, abi.File{Name: name, Data: files[name]})
	}
	var out abi.OpenResponse
	if err := i.call(abi.ExportOpen, req, &out); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

func byName(list []abi.FileChange) map[string][]byte {
	files := map[string][]byte{}
	for _, f := range list {
		files[f.Name] = append([]byte{}, f.Data...)
	}
	return files
}

// checkChanges applies the reported changes to the opened files, and compares the result with the whole folder.
func (j *judge) checkChanges(doc *instance, opened map[string][]byte, when string) (whole map[string][]byte, ok bool) {
	var part abi.SaveResponse
	err := doc.call(abi.ExportSave, &abi.SaveRequest{}, &part)
	list, err2 := doc.wholeFolder()
	if err != nil || err2 != nil {
		return nil, j.expect("files", false, "%s the folder cannot be saved: %s%s", when, problem(err), problem(err2))
	}
	whole = byName(list)
	made := maps.Clone(opened)
	for _, f := range part.Files {
		was, had := opened[f.Name]
		j.expect("files", had && (f.Removed || !bytes.Equal(was, f.Data)) || !had && !f.Removed, "%s %s is reported as changed, but has not changed", when, f.Name)
		if made[f.Name] = f.Data; f.Removed {
			delete(made, f.Name)
		}
	}
	return whole, j.expect("files", maps.EqualFunc(made, whole, bytes.Equal), "%s the opened files with the reported changes are not the whole folder; different: %s", when, differingFiles(made, whole))
}

func differingFiles(made, whole map[string][]byte) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		if got, ok := made[name]; !ok || !bytes.Equal(got, whole[name]) {
			out = append(out, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if _, ok := whole[name]; !ok {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// checkFolders checks folder documents: the reported changes, changes by others, and broken files.
func (j *judge) checkFolders(pool []abi.Op) {
	if j.m.Folder == nil || j.over() {
		return
	}
	doc, err := j.newInstance()
	if err == nil {
		err = doc.call(abi.ExportNew, &abi.NewRequest{Title: "Conformance", Folder: true}, &abi.OpenResponse{})
	}
	if !j.expect("files", err == nil, "fcp_new refuses to make a folder a document: %s", problem(err)) {
		return
	}
	whole, _ := j.checkChanges(doc, map[string][]byte{}, "as it was made")
	for _, op := range pool[:min(len(pool), 40)] {
		if _, err := doc.apply(false, nil, op); err != nil {
			j.countFault(fmt.Sprintf("the operation %q in a folder", op.Raw), err)
			break
		}
		next, ok := j.checkChanges(doc, map[string][]byte{}, fmt.Sprintf("after %q", op.Raw))
		if !ok {
			break
		}
		whole = next
	}
	was, err := doc.moment()
	doc.close()
	if err != nil || whole == nil {
		return
	}
	if len(whole) == 0 {
		whole[j.includedName()] = []byte("conformance\n")
	}
	j.checkOutsideChanges(whole, was)
	damages := [][]byte{{}, {0xff, 0xfe, 0}, bytes.Repeat([]byte("{[<"), 500)}
	for k, name := range slices.Sorted(maps.Keys(whole)) {
		for i := range j.attempts(len(damages)) {
			data := damages[(k+i)%len(damages)]
			broken := maps.Clone(whole)
			broken[name] = data
			doc, err := j.openFolder(broken)
			if !j.expect("files", err == nil, "a folder in which %s contains %.20q is refused, but a file that does not parse must be a broken file of the document: %s", name, data, problem(err)) {
				return
			}
			j.checkChanges(doc, broken, "with a broken file")
			doc.close()
		}
	}
}

// includedName returns a file name that the folder's patterns include.
func (j *judge) includedName() string {
	for _, p := range j.m.Folder.Include {
		name := strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(p, "**/"), "**", "zzqxv"), "*", "zzqxv")
		if !strings.ContainsAny(name, "?[\\") {
			return name
		}
	}
	return "zzqxv"
}

// checkOutsideChanges simulates a change of each file by others, and its reversal.
func (j *judge) checkOutsideChanges(files map[string][]byte, made moment) {
	doc, err := j.openFolder(files)
	if !j.expect("files", err == nil, "a saved folder cannot be opened: %s", problem(err)) {
		return
	}
	defer doc.close()
	was, err := doc.moment()
	if err != nil {
		return
	}
	if made.text != "" && len(unpackFolder(made.data)) > 0 {
		d := difference(moment{state: made.state, text: made.text}, moment{state: was.state, text: was.text})
		j.expect("files", d == "", "after saving and opening a folder: %s", d)
	}
	list := append(slices.Sorted(maps.Keys(files)), j.includedName())
	for _, after := range [][]byte{{}, {0xff, 0, '\n'}, nil} {
		var events []abi.Event
		now := maps.Clone(files)
		for _, name := range slices.Compact(list) {
			before, had := now[name]
			if !had && after == nil {
				continue
			}
			data, err := msgpack.Marshal(&abi.Outside{Name: name, Before: before, Was: had, After: after, Is: after != nil})
			if err != nil {
				return
			}
			if now[name] = after; after == nil {
				delete(now, name)
			}
			events = append(events, abi.Event{Type: abi.EventOutside, Data: data})
		}
		if err := doc.replay(events); err != nil {
			j.expect("files", false, "changes by others in a folder are refused: %v", err)
			return
		}
		got, ok := j.checkChanges(doc, files, "after others changed it,")
		if !ok || !j.expect("files", maps.EqualFunc(got, now, bytes.Equal), "after changes by others, the folder's files are not those that they left; different: %s", differingFiles(got, now)) {
			return
		}
		if err := doc.reverse(events); err != nil {
			j.expect("files", false, "changes by others in a folder cannot be reversed: %v", err)
			return
		}
		again, err := doc.moment()
		if err != nil {
			j.countFault("save and state of a folder", err)
			return
		}
		d := difference(was, again)
		if !j.expect("files", d == "", "after reversing changes by others: %s", d) {
			return
		}
	}
}
