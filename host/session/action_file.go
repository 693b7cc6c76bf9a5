package session

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

func (c *call) save(d *document.Document) *reply.Reply {
	c.references([]string{"as", "copy"})
	if no := c.checkValues("as", "copy"); no != nil {
		return no
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
			return c.misuse(onePath)
		}
		return reply.Errorf(actions("save as:"+grammar.Quote(whole)), onePath)
	}
	if no := c.checkForm(); no != nil && !format { // a format may have its own parameters
		return no
	}
	if len(words) == 1 {
		path, as = words[0].Text, true
	}
	if as && path == "" {
		return reply.Errorf([]reply.Suggestion{d.TrySave()}, "save as: needs a path")
	}
	if copyTo, ok := c.op.Param("copy"); ok {
		if as || format || copyTo == "" {
			return c.misuse("save copy: takes one path and no other")
		}
		if no := c.needsFormat(d, copyTo); no != nil {
			return no
		}
		return d.Copy(c.ctx, copyTo, force)
	}
	if format {
		return c.saveAsFormat(d, path, force)
	}
	if no := c.needsFormat(d, path); no != nil {
		return no
	}
	return d.Save(c.ctx, path, force)
}

func (c *call) export(d *document.Document) *reply.Reply {
	if no := c.checkValues("as"); no != nil {
		return no
	}
	_, as := c.op.Param("as")
	n := len(c.op.Positionals)
	force := n > 1 && c.keyword(n-1) == "force"
	if force {
		n--
	}
	if n > 2 || n == 2 && as || len(c.op.Selectors) > 0 {
		return c.misuse("export takes one format and as:PATH")
	}
	if c.text(0) == "" {
		return c.misuse("export needs a format; there are %s", strings.Join(formatNames(d.Domain().Manifest), ", "))
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
	return r
}
