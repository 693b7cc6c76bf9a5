package session

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

func (c *call) save(d *document.Document) (*reply.Reply, error) {
	c.references([]string{"as", "copy"})
	if err := c.checkValues("as", "copy"); err != nil {
		return nil, err
	}
	_, format := c.op.Param("format")
	format = format && len(d.Domain().Manifest.Media) > 0
	words := c.op.Positionals
	force := false
	if n := len(words); n > 0 && c.keyword(n-1) == "force" {
		force = true
		words = words[:n-1]
	}
	path, as := c.op.Param("as")
	if len(words) > 1 || len(words) == 1 && as {
		const onePath = "save takes one path; a path with spaces goes in double quotes"
		whole := joined(words)
		if as && strings.HasSuffix(c.op.Raw, " "+words[len(words)-1].Text) {
			whole = path + " " + whole // a path with spaces but without quotes
		} else if as {
			return nil, c.misuse(onePath)
		}
		return nil, reply.Refuse(actions("save as:"+grammar.Quote(whole)), onePath)
	}
	if err := c.checkForm(); err != nil && !format { // a format may have its own parameters
		return nil, err
	}
	if len(words) == 1 {
		path, as = words[0].Text, true
	}
	if as && path == "" {
		return nil, reply.Refuse([]reply.Suggestion{d.TrySave()}, "save as: needs a path")
	}
	if copyTo, ok := c.op.Param("copy"); ok {
		if as || format || copyTo == "" {
			return nil, c.misuse("save copy: takes one path and no other")
		}
		if err := c.needsFormat(d, copyTo); err != nil {
			return nil, err
		}
		return d.Copy(c.ctx, copyTo, force), nil
	}
	if format {
		return c.saveAsFormat(d, path, force)
	}
	if err := c.needsFormat(d, path); err != nil {
		return nil, err
	}
	return d.Save(c.ctx, path, force), nil
}

func (c *call) export(d *document.Document) (*reply.Reply, error) {
	if err := c.checkValues("as"); err != nil {
		return nil, err
	}
	_, as := c.op.Param("as")
	n := len(c.op.Positionals)
	force := n > 1 && c.keyword(n-1) == "force"
	if force {
		n--
	}
	if n > 2 || n == 2 && as || len(c.op.Selectors) > 0 {
		return nil, c.misuse("export takes one format and as:PATH")
	}
	if c.text(0) == "" {
		return nil, c.misuse("export needs a format; there are %s", strings.Join(formatNames(d.Domain().Manifest), ", "))
	}
	var params []abi.KeyValue
	path := ""
	if n == 2 {
		path = c.text(1) // as save allows, too
	}
	for _, p := range c.op.Params {
		if p.Key == "as" {
			path = p.Value
		} else {
			params = append(params, p)
		}
	}
	r := c.runExport(d, strings.ToLower(c.text(0)), params, path, force)
	if r.Failed && len(r.Results[0].Try) == 0 && len(params) > 0 {
		r.Results[0].Try = []reply.Suggestion{reply.Help(c.op.Verb)}
	}
	return r, nil
}
