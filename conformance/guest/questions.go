package guest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/grammar"
)

// question is one call that must change nothing.
type question struct {
	name string
	ask  func(i *instance) (answer []byte, err error)
}

// asked lists the questions that the manifest offers. words are things that
// queries may be about.
func (j *judge) asked(words []string) []question {
	has := func(export string) bool { _, ok := j.box.Info().Func(export); return ok }
	encoded := func(out any, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		return abi.Marshal(out)
	}
	list := []question{
		{"fcp_save", func(i *instance) ([]byte, error) { return i.save(false) }},
		{"fcp_state", func(i *instance) ([]byte, error) {
			var out abi.StateResponse
			return encoded(&out, i.call(abi.ExportState, nil, &out))
		}},
	}
	if has(abi.ExportHelp) {
		list = append(list, question{"fcp_help", func(i *instance) ([]byte, error) {
			var out abi.HelpResponse
			err := i.call(abi.ExportHelp, nil, &out)
			size := 0
			for _, s := range out.Sections {
				for _, l := range s.Lines {
					size += len(l)
				}
			}
			j.expect("limits", size <= abi.MaxHelp, "the help has %d bytes, the limit is %d", size, abi.MaxHelp)
			return encoded(&out, err)
		}})
	}
	if j.m.Snapshots {
		list = append(list, question{"fcp_save of a snapshot", func(i *instance) ([]byte, error) { return i.save(true) }})
	}
	if has(abi.ExportExport) {
		for _, f := range j.m.Exports {
			list = append(list, question{"the export " + f.Name, func(i *instance) ([]byte, error) {
				var out abi.SaveResponse
				return encoded(&out, i.call(abi.ExportExport, &abi.ExportRequest{Format: f.Name}, &out))
			}})
		}
	}
	for _, q := range j.m.Queries {
		forms := []string{q.Name, q.Name + " @all", q.Name + " *"}
		for _, w := range words {
			forms = append(forms, q.Name+" "+grammar.Quote(w))
		}
		for _, form := range forms {
			op, err := grammar.ParseQuery(form)
			if err != nil || j.d.CheckSelectors(&op) != nil {
				continue
			}
			wire := domain.Op(&op)
			list = append(list, question{fmt.Sprintf("the query %q", form), func(i *instance) ([]byte, error) {
				var out abi.QueryResponse
				err := i.call(abi.ExportQuery, &abi.QueryRequest{Query: wire}, &out)
				j.expect("limits", len(out.Text) <= abi.MaxQuery && len(out.Content) <= abi.MaxContent,
					"the answer to %q is over the limits of a query", form)
				return encoded(&out, err)
			}})
		}
	}
	return list
}

// words picks things to ask about: what the log's ops named.
func (w *walked) words() []string {
	ids := recent(w.log)
	return append(ids[:min(len(ids), 3)], "no such thing")
}

// questions asks everything twice, and looks after each whether the document
// is what it was.
func (j *judge) questions(w *walked) {
	doc, err := j.replayed(w.events(0))
	if err != nil {
		j.endure("replaying the log", err)
		return
	}
	defer func() { doc.close() }()
	was, err := doc.moment()
	if err != nil {
		j.endure("save and state", err)
		return
	}
	for _, q := range j.asked(w.words()) {
		first, err1 := q.ask(doc)
		second, err2 := q.ask(doc)
		now, err3 := doc.moment()
		if !j.endure(q.name, errors.Join(fault(err1), fault(err2), fault(err3))) {
			doc.close()
			if doc, err = j.replayed(w.events(0)); err != nil || j.faults >= maxFaults {
				if err != nil {
					doc, _ = j.bare()
				}
				return
			}
			continue
		}
		j.expect("questions", bytes.Equal(first, second) && problem(err1) == problem(err2), "%s answers differently when asked again: %s, then %s", q.name, said(first, err1), said(second, err2))
		d := difference(was, now)
		if !j.expect("questions", d == "", "%s changed the document: %s", q.name, d) {
			was = now
		}
	}
}

// fault is err, unless it is a refusal.
func fault(err error) error {
	var no *refusal
	if errors.As(err, &no) {
		return nil
	}
	return err
}

func said(data []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%q", clip(string(data)))
}
