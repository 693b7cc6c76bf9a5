package pdktest

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// Query runs a query and returns the text of the answer.
func (d *Doc) Query(q string) string {
	d.t.Helper()
	return d.Answer(q).Text
}

// QueryContent runs a query and returns the content blocks of the answer.
func (d *Doc) QueryContent(q string) []abi.Content {
	d.t.Helper()
	return d.Answer(q).Content
}

// Answer runs a query and returns the whole response.
func (d *Doc) Answer(q string) *abi.QueryResponse {
	d.t.Helper()
	out, err := d.query(q)
	if err != nil {
		d.t.Fatalf("query %q failed: %s", q, pdk.Text(err))
	}
	return out
}

// QueryFails asserts that a query is refused with an error that contains each of
// the wants, and returns the error's text.
func (d *Doc) QueryFails(q string, wants ...string) string {
	d.t.Helper()
	_, err := d.query(q)
	return refused(d.t, "query "+q, err, wants)
}

func (d *Doc) query(q string) (*abi.QueryResponse, error) {
	op, err := grammar.ParseQuery(q)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(d.d.manifest.Queries, func(q abi.Query) bool { return q.Name == op.Verb && q.Takes != nil }) {
		d.d.rules.Claim(&op)
	}
	if e := d.d.checkSelectors(op.Selectors); e != nil {
		return nil, (&pdk.Error{Message: e.Message, Tries: e.Try})
	}
	var out abi.QueryResponse
	err = d.guest.call(request{abi.ExportQuery, &abi.QueryRequest{Query: op.Op, Recent: d.recent(), Can: d.d.world.can(), Ref: d.Ref, Now: d.d.world.time(&d.d.manifest)}}, &out)
	return &out, err
}

// Export returns the document in another format. command is what follows
// `export`: a format and its parameters. If a program makes the file, its run is
// appended to d.Runs instead.
func (d *Doc) Export(command string) []byte {
	d.t.Helper()
	out, err := d.export(command)
	if err != nil {
		d.t.Fatalf("export %s: %s", command, pdk.Text(err))
	}
	if out.Run != nil {
		d.Runs = append(d.Runs, *out.Run)
	}
	return out.Data
}

// ExportFails asserts that an export fails with an error that contains each of the
// wants, and returns the error's text.
func (d *Doc) ExportFails(command string, wants ...string) string {
	d.t.Helper()
	_, err := d.export(command)
	return refused(d.t, "export "+command, err, wants)
}

func (d *Doc) export(command string) (*abi.SaveResponse, error) {
	op, err := grammar.ParseAction(command)
	if err != nil {
		return nil, err
	}
	req := &abi.ExportRequest{Format: op.Verb, Can: d.d.world.can(), Params: op.Params}
	var out abi.SaveResponse
	if d.d.world != nil {
		d.d.world.parts = nil
	}
	err = d.guest.call(request{abi.ExportExport, req}, &out)
	if d.d.world != nil {
		out.Data = append(out.Data, d.d.world.parts...)
	}
	return &out, err
}
