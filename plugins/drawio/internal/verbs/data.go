package verbs

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func linkVerb() verb {
	return verb{Run: runLink, Keys: []pdk.Parameter{values.Text("url", "http, https, mailto or a path; none removes it"), values.Text("page", "PAGE of this file, by name or number")}, Verb: abi.Verb{
		Syntax: "link REF|SEL|REF ARROW REF url:URL | page:P | url:none", Summary: "make shapes and edges open an address or a page", Category: "data",
		Brief:    "link REF|REF ARROW REF|SEL url:URL|none | page:P",
		Examples: []string{"link AuthService url:https://example.com/auth", "link UserDB page:Second", "link @type:db url:https://example.com/db"},
	}}
}

func runLink(c *ctx, a pdk.Args) error {
	if len(a.Params) == 0 && a.IsArrow(1) && len(a.Positionals) == 3 {
		return pdk.Errorf("link needs url: or page:; connect draws an edge").Tryf("connect %s %s %s", pdk.Quote(a.Text(0)), a.Text(1), pdk.Quote(a.Text(2)))
	}
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) > used {
		err := pdk.Errorf("link takes one reference; %q is one too many", a.Text(used))
		if len(a.Positionals) == used+1 && len(a.Params) == 0 && strings.ContainsAny(a.Text(used), "/.") && checkURL(a.Text(used)) == nil {
			err.Try(a.Mended(pdk.WithoutWord(used), pdk.WithParam("url", a.Text(used))))
		} else if _, none := selector.Page(c.Model, a.Text(used), true); none == nil && len(a.Positionals) == used+1 && len(a.Params) == 0 {
			err.Try(a.Mended(pdk.WithoutWord(used), pdk.WithParam("page", a.Text(used))))
		}
		return err
	}
	if a.Has("url") && a.Has("page") {
		return pdk.Errorf("link takes url: or page:, not both").Try(a.Mended(pdk.Without("page")), a.Mended(pdk.Without("url")))
	}
	if !a.Has("url") && !a.Has("page") {
		return pdk.Errorf("link needs url: or page:")
	}
	to := strings.TrimSpace(a.String("url", ""))
	if ref, ok := a.Param("page"); ok {
		p := pdk.Must(selector.Page(c.Model, ref, false))
		if p.ID == "" {
			return pdk.Errorf("page %s has no id that a link could name", model.PageTitle(c.Model, p))
		}
		to = "data:page/id," + p.ID
	} else if to == "" || strings.EqualFold(to, "none") {
		return setData(c, cells, []abi.KeyValue{{Key: "link"}}, "link", "no link")
	} else if err := checkURL(to); err != nil {
		return err
	}
	return setData(c, cells, []abi.KeyValue{{Key: "link", Value: to}}, "link", "link "+values.OneLine(to))
}

// checkURL refuses addresses that a viewer would run as a script.
func checkURL(s string) *pdk.Error {
	if len(s) > edit.MaxText || strings.ContainsAny(s, " \t\r\n<>\"") {
		return pdk.Errorf("url: is not an address: it contains spaces or is longer than %d bytes", edit.MaxText)
	}
	u, err := url.Parse(s)
	if err != nil {
		return pdk.Errorf("url:%s is not an address", values.OneLine(s))
	}
	switch strings.ToLower(u.Scheme) {
	case "", "http", "https", "mailto", "ftp", "file", "tel":
		return nil
	case "data":
		if strings.HasPrefix(s, "data:page/id,") {
			return nil
		}
	}
	return pdk.Errorf("url: %s addresses are refused; http, https, mailto, tel, ftp and file are accepted", u.Scheme)
}

func tooltipVerb() verb {
	return verb{Run: runTooltip, Verb: abi.Verb{
		Syntax: `tooltip REF|SEL|REF ARROW REF TEXT`, Summary: `set the text shown while the pointer rests on an element; "" removes it`, Category: "data",
		Brief:    "tooltip REF|REF ARROW REF|SEL TEXT",
		Examples: []string{`tooltip AuthService "Issues tokens"`, `tooltip A -> B "over TLS"`, `tooltip @type:db "Data store"`},
	}}
}

func runTooltip(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) != used+1 {
		err := pdk.Errorf("tooltip takes one text; quote a text with spaces")
		if len(a.Positionals) > used+1 {
			err.Try(a.Mended(pdk.WithJoined(used)))
		}
		return err
	}
	text := a.Text(used)
	if len(text) > edit.MaxText {
		return pdk.Errorf("the tooltip is longer than %d bytes", edit.MaxText)
	}
	words := "no tooltip"
	if text != "" {
		words = "tooltip " + pdk.Quote(values.OneLine(text))
	}
	return setData(c, cells, []abi.KeyValue{{Key: "tooltip", Value: text}}, "tooltip", words)
}

func dataVerb() verb {
	return verb{Run: runData, Keys: []pdk.Parameter{values.Text("KEY", "TEXT of any property")}, Verb: abi.Verb{
		Syntax: `data REF|SEL|REF ARROW REF key:value…`, Summary: `set custom properties, as draw.io's Edit Data does; key:"" removes one`, Category: "data",
		Brief:    "data REF|REF ARROW REF|SEL key:value… · properties of your own",
		Examples: []string{`data AuthService owner:"Team A" cost:120`, "data A -> B protocol:grpc", `data @type:svc tier:1`},
	}}
}

func runData(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) > used {
		err := pdk.Errorf("data takes key:value, not %q", a.Text(used))
		if len(a.Params) > 0 {
			err.Try(a.Mended(pdk.WithWords(used, len(a.Positionals)-used)))
		}
		return err
	}
	if len(a.Params) == 0 {
		return pdk.Errorf("data needs key:value")
	}
	var words []string
	for _, kv := range a.Params {
		switch {
		case kv.Key == "label":
			err := pdk.Errorf("label is not a custom property; the verb label sets it")
			if len(cells) == 1 && len(a.Params) == 1 {
				err.Tryf("label %s %s", model.Reference(cells[0]), pdk.Quote(kv.Value))
			}
			return err
		case !mxfile.DataName(kv.Key):
			return pdk.Errorf("%q cannot be a property's name: a letter or _ first, then letters, digits, - and .", kv.Key)
		case len(kv.Value) > edit.MaxText:
			return pdk.Errorf("%s: is longer than %d bytes", kv.Key, edit.MaxText)
		case kv.Key == "link" && kv.Value != "":
			if err := checkURL(kv.Value); err != nil {
				return err
			}
		}
		words = append(words, kv.Key+":"+pdk.Quote(values.OneLine(kv.Value)))
	}
	return setData(c, cells, a.Params, "data", strings.Join(words, " "))
}

// setData drafts properties of cells. An empty value removes one.
func setData(c *ctx, cells []*cell, list []abi.KeyValue, what, words string) error {
	d := c.Model.Draft()
	for _, x := range cells {
		for _, kv := range list {
			has, ok := x.DataValue(kv.Key)
			switch {
			case kv.Value == "" && !ok || ok && has == kv.Value && has != "":
				continue
			case kv.Value == "":
				d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithoutData(kv.Key) })
			default:
				d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithData(kv.Key, kv.Value) })
			}
		}
	}
	who := model.ListFirst(cells)
	verb := pdk.If(len(cells) > 1, "have", "has")
	pdk.Check(edit.Commit(c, d, what+" "+who+" "+words, fmt.Sprintf("%s already %s %s", who, verb, words), cells...))
	edit.Report(c, cells, "%s: %s", who, words)
	return nil
}
