package guest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// question is a call that must not change anything.
type question struct {
	name string
	// query: it is a query; bare: a query without words; all: a query for everything.
	query, bare, all bool
	wire             abi.Op // of a query
	ask              func(i *instance) (answer []byte, err error)
}

// allQuestions lists the questions that the manifest allows. words are names to query.
func (j *judge) allQuestions(words []string) []question {
	has := func(export string) bool { _, ok := j.box.Info().Func(export); return ok }
	encoded := func(out any, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		return abi.Marshal(out)
	}
	list := []question{
		{name: "fcp_save", ask: func(i *instance) ([]byte, error) { return i.save(false) }},
		{name: "fcp_state", ask: func(i *instance) ([]byte, error) {
			var out abi.StateResponse
			return encoded(&out, i.call(abi.ExportState, nil, &out))
		}},
	}
	if has(abi.ExportHelp) {
		list = append(list, question{name: "fcp_help", ask: func(i *instance) ([]byte, error) {
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
		list = append(list, question{name: "fcp_save of a snapshot", ask: func(i *instance) ([]byte, error) { return i.save(true) }})
	}
	if has(abi.ExportExport) {
		for _, f := range j.m.Exports {
			list = append(list, question{name: "the export " + f.Name, ask: func(i *instance) ([]byte, error) {
				var out abi.SaveResponse
				return encoded(&out, i.call(abi.ExportExport, &abi.ExportRequest{Format: f.Name}, &out))
			}})
		}
	}
	for _, q := range j.m.Queries {
		all, each := q.Name+" @all", q.Name+" *"
		forms := []string{q.Name, all, each}
		for _, w := range words {
			forms = append(forms, q.Name+" "+grammar.Quote(w))
		}
		for _, form := range forms {
			op, err := grammar.ParseQuery(form)
			if err != nil || j.d.CheckQuery(&op) != nil {
				continue
			}
			wire := op.Op
			list = append(list, question{name: fmt.Sprintf("the query %q", form), query: true, bare: form == q.Name, all: form == all || form == each, wire: wire, ask: func(i *instance) ([]byte, error) {
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

// checkListed checks that the manifest's queries, session actions and formats exist: their answers differ from that to a
// nonsense word.
func (j *judge) checkListed(doc *instance) {
	const nothing = "zzqxv"
	refused := func(ask func(word string) error, word string) string {
		var no *refusal
		if !errors.As(ask(word), &no) {
			return ""
		}
		return strings.ReplaceAll(firstLine(no.text), word, "…")
	}
	query := func(word string) error {
		return doc.call(abi.ExportQuery, &abi.QueryRequest{Query: abi.Op{Verb: word, Raw: word}}, &abi.QueryResponse{})
	}
	if unknown := refused(query, nothing); unknown != "" {
		for _, q := range j.m.Queries {
			j.expect("registry", refused(query, q.Name) != unknown, "the listed query %s is refused as if it did not exist: %s", q.Name, strings.ReplaceAll(unknown, "…", q.Name))
		}
	}
	j.checkStrictQueries(doc, nothing)
	j.checkStrictActions(doc, nothing)
	session := func(word string) error {
		return doc.call(abi.ExportSession, &abi.SessionRequest{Command: abi.Op{Verb: word, Raw: word}}, &abi.ApplyResponse{})
	}
	if len(j.m.Session) == 0 {
		return
	}
	if unknown := refused(session, nothing); unknown != "" {
		for _, s := range j.m.Session {
			j.expect("registry", refused(session, s.Name) != unknown, "the listed session action %s is refused as if it did not exist: %s", s.Name, strings.ReplaceAll(unknown, "…", s.Name))
		}
	}
}

// checkExports checks that each format can be exported: from this document, from one with the manifest's example alone, or after
// a suggested op. If the suggestion is the same export with more words, it needs something only a user has, such as a file.
func (j *judge) checkExports(doc *instance) {
	for _, f := range j.m.Exports {
		err := doc.export(f.Name)
		if err != nil {
			if example := j.restart(nil, j.script); example != nil {
				if example.export(f.Name) == nil {
					err = nil
				}
				example.close()
			}
		}
		var no *refusal
		if errors.As(err, &no) && len(f.Wants) == 0 {
			_, try, _ := strings.Cut(no.text, "\ntry: ")
			if op, bad := j.parse(firstLine(try)); bad == nil {
				if _, bad = doc.apply(false, nil, op); bad == nil {
					err = doc.export(f.Name)
				}
			}
		}
		without := errors.As(err, &no) && (len(f.Wants) > 0 || strings.Contains(no.text, "\ntry action: export "+f.Name+" ")) // nothing is granted in these checks
		j.expect("registry", without || err == nil, "the listed format %s cannot be exported: %s", f.Name, problem(err))
	}
}

// export asks for a format; an answer without content is an error.
func (i *instance) export(format string) error {
	var out abi.SaveResponse
	err := i.call(abi.ExportExport, &abi.ExportRequest{Format: format}, &out)
	if err == nil && len(out.Data) == 0 && out.Run == nil {
		err = errors.New("it is empty")
	}
	return err
}

// checkStrictQueries checks that a query refuses an unknown key, and a word if its syntax has none, either itself or through its
// manifest.
func (j *judge) checkStrictQueries(doc *instance, nothing string) {
	for _, q := range j.m.Queries {
		forms := []string{q.Name + " " + nothing + ":1"}
		if q.Syntax == q.Name {
			forms = append(forms, q.Name+" "+nothing)
		}
		for _, form := range forms {
			op, err := grammar.ParseQuery(form)
			if err != nil || j.d.CheckQuery(&op) != nil || len(q.Wants) > 0 {
				continue
			}
			var no *refusal
			err = doc.call(abi.ExportQuery, &abi.QueryRequest{Query: op.Op}, &abi.QueryResponse{})
			j.expect("refusals", errors.As(err, &no), "the query %q is answered, not refused; declare in the manifest what %s takes", form, q.Name)
		}
	}
}

// checkStrictActions checks that each export, and each session action, refuses an unknown key. What is refused without it, too, must
// be refused for another reason with it.
func (j *judge) checkStrictActions(doc *instance, nothing string) {
	check := func(what string, run func([]abi.KeyValue) string) {
		without, with := run(nil), run([]abi.KeyValue{{Key: nothing, Value: "1"}})
		j.expect("refusals", with != "" && with != without, "%s %s:1 is answered as without that key: %s", what, nothing, cmp.Or(with, "not refused"))
	}
	for _, f := range j.m.Exports {
		check("export "+f.Name, func(params []abi.KeyValue) string {
			return problem(doc.call(abi.ExportExport, &abi.ExportRequest{Format: f.Name, Params: params}, &abi.SaveResponse{}))
		})
	}
	for _, s := range j.m.Session {
		check("the session action "+s.Name, func(params []abi.KeyValue) string {
			var out abi.ApplyResponse
			command := abi.Op{Verb: s.Name, Params: params, Raw: s.Name}
			err := doc.call(abi.ExportSession, &abi.SessionRequest{Command: command}, &out)
			if err == nil && len(out.Results) == 1 && out.Results[0].Error != nil {
				return out.Results[0].Error.Message
			}
			return problem(err)
		})
	}
}

// namesToQuery returns some names from the log's ops, first those of what still exists, and one that does not exist.
func (j *judge) namesToQuery(w *walked) []string {
	ids := recent(w.log)
	gone := func(id string) int {
		if told, err := j.describe(w, id); told != "" && err == nil {
			return 0
		}
		return 1
	}
	ids = ids[:min(len(ids), 20)]
	slices.SortStableFunc(ids, func(a, b string) int { return gone(a) - gone(b) })
	return append(ids[:min(len(ids), j.attempts(3))], "no such thing")
}

// checkQuestions asks everything twice, and checks after each that the document is unchanged.
func (j *judge) checkQuestions(w *walked) {
	doc, err := j.documentFrom(w.events(0))
	if err != nil {
		j.countFault("replaying the log", err)
		return
	}
	defer func() { doc.close() }()
	was, err := doc.moment()
	if err != nil {
		j.countFault("save and state", err)
		return
	}
	for _, q := range j.allQuestions(j.namesToQuery(w)) {
		first, err1 := q.ask(doc)
		if q.bare && err1 == nil {
			err1 = j.checkPart(doc, &q, first)
		}
		second, err2 := q.ask(doc)
		now, err3 := doc.moment()
		// Report the first error; after it the instance is gone.
		if !j.countFault(q.name, cmp.Or(nonRefusal(err1), nonRefusal(err2), nonRefusal(err3))) {
			doc.close()
			if doc, err = j.documentFrom(w.events(0)); err != nil || j.over() {
				if err != nil {
					doc, _ = j.newInstance()
				}
				return
			}
			continue
		}
		j.expect("questions", bytes.Equal(first, second) && problem(err1) == problem(err2), "%s answers differently when repeated: %s, then %s", q.name, describeAnswer(first, err1), describeAnswer(second, err2))
		d := difference(was, now)
		if !j.expect("questions", d == "", "%s changed the document: %s", q.name, d) {
			was = now
		}
	}
}

// checkPart asks for the second line of an answer only.
func (j *judge) checkPart(doc *instance, q *question, answer []byte) error {
	var out, part abi.QueryResponse
	if err := abi.Unmarshal(answer, &out); err != nil {
		return err
	}
	if err := doc.call(abi.ExportQuery, &abi.QueryRequest{Query: q.wire, First: 2, Lines: 1}, &part); err != nil {
		return err
	}
	lines := append(strings.Split(out.Text, "\n"), "")
	whole, second := part.Total == 0 && part.Text == out.Text, part.Total == len(lines)-1 && part.Text == lines[1]
	j.expect("questions", whole || second,
		"asked for the second of the %d lines that answer %q, it returns %.100q of %d lines", len(lines)-1, q.wire.Raw, part.Text, part.Total)
	return nil
}

// nonRefusal returns err unless it is a refusal.
func nonRefusal(err error) error {
	var no *refusal
	if errors.As(err, &no) {
		return nil
	}
	return err
}

func describeAnswer(data []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%q", clip(string(data)))
}
