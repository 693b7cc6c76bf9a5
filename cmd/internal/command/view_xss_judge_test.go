package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/internal/judge"
)

// payloads are 200 texts that run a script wherever they are taken for markup, or for a part of a script.
func payloads() (list []string) {
	for _, out := range []string{"", `">`, `'>`, `--><`, `]]>`, `</title>`, `</textarea>`, `</script>`, `*/</style>`, "`}${"} {
		for _, body := range []string{
			`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `<iframe srcdoc="<script>parent.alert(1)</script>">`,
			`<a href=javascript:alert(1) autofocus onfocus=alert(1)>x</a>`, `<input autofocus onfocus=alert(1)>`, `<details open ontoggle=alert(1)>`, `<video><source onerror=alert(1)>`,
			`<math><mi xlink:href="data:x,<script>alert(1)</script>">`, `<style>@import"http://127.0.0.1:9/a";*{background:url(http://127.0.0.1:9/b)}</style>`,
			`<link rel=stylesheet href=http://127.0.0.1:9/c>`, `<base href=http://127.0.0.1:9/>`, `<meta http-equiv=refresh content=0;url=javascript:alert(1)>`, `<object data=javascript:alert(1)>`,
			`<embed src=javascript:alert(1)>`, `<template><script>alert(1)</script></template><body onload=alert(1)>`, `&lt;img src=x onerror=alert(1)&gt;`, `\u003cimg src=x onerror=alert(1)\u003e`,
			`-alert(1)-`, `javascript:alert(1)//`,
		} {
			list = append(list, out+body)
		}
	}
	return list
}

// ranScripts records what payloads do.
const ranScripts = `window.ran = []; window.alert = (x) => ran.push("alert"); addEventListener("securitypolicyviolation", (e) => ran.push(e.violatedDirective + " " + e.blockedURI));`

// elements counts the elements that no text may make.
const markup = `document.querySelectorAll("script, img, iframe, object, embed, svg, math, link, meta, base, form, input, textarea, style, video, audio, source, details, template, a, object").length`

// Texts of documents, of a model and of file names stand in every part of the page, and none is taken for markup.
func TestJudgeNoTextRunsInThePage(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "list", "drawio", "svg", "midi", "cuedeck")
	all := payloads()
	if len(all) != 200 {
		t.Fatalf("there are %d", len(all))
	}
	c.session("list", `new "Honest"`)
	p := judge.Open(t, address, 1000, 700, false, ranScripts)
	p.Wait(`document.querySelector("#heading").textContent.startsWith("Honest")`)
	var honest, now int
	p.Eval(markup, &honest)
	shown := map[string]bool{}
	check := func(what string, of []string) {
		t.Helper()
		var ran []string
		var text string
		p.Eval(`ran`, &ran)
		p.Eval(markup, &now)
		p.Eval(`document.documentElement.textContent + [...document.querySelectorAll("[title], [alt], [aria-label]")].map((e) => e.title + e.alt + e.ariaLabel).join(" ") + [...document.querySelectorAll("input")].map((e) => e.value).join(" ")`, &text)
		if len(ran) > 0 || now != honest {
			t.Errorf("%s: %d elements of markup instead of %d, scripts: %q", what, now, honest, ran)
		}
		for _, s := range of {
			if strings.Contains(text, s) {
				shown[what+s] = true
			}
		}
	}
	covered := func(what string, of []string, least int) {
		t.Helper()
		n := 0
		for _, s := range of {
			if shown[what+s] {
				n++
			}
		}
		if n < least {
			t.Errorf("%s: the page showed %d of %d texts", what, n, len(of))
		}
		p.Eval(`ran.length = 0`, nil)
	}
	run := func(domain, what string, most int, op func(quoted string) string) {
		t.Helper()
		for from := 0; from < len(all); from += most {
			some := all[from:min(from+most, len(all))]
			for _, s := range some {
				c.reply(domain, map[string]any{"ops": []string{op(grammar.Quote(s))}}) // refusals quote it, too
			}
			last, _ := json.Marshal(some[len(some)-1])
			p.Wait(`document.documentElement.textContent.includes(` + string(last) + `)`)
			check(what, some)
		}
		covered(what, all, 190)
	}
	run("list", "ops and their lines", 20, func(s string) string { return "add " + s })
	run("list", "errors", 1, func(s string) string { return "remove " + s })
	for _, s := range all[:40] {
		c.reply("list_session", map[string]any{"action": "checkpoint " + grammar.Quote(s)})
	}
	p.Wait(`document.querySelectorAll(".flag").length > 30`)
	check("checkpoints", all[:40])
	covered("checkpoints", all[:40], 38)

	for domain, op := range map[string]func(quoted string, n int) string{
		"drawio": func(s string, _ int) string { return "add process " + s },
		"svg":    func(s string, n int) string { return fmt.Sprintf("text %s at 10,%d", s, 10+n%16*20) },
		"midi":   func(s string, _ int) string { return "track add " + s },
	} {
		for n, s := range all {
			if n%16 == 0 { // a song has sixteen channels
				c.session(domain, "new "+grammar.Quote(s))
			}
			c.reply(domain, map[string]any{"ops": []string{op(grammar.Quote(s), n)}})
			if n%16 == 15 {
				p.Wait(shows)
				for range 6 { // select what was drawn
					p.Key("n", 0)
				}
				check(domain, all[n-15:n+1])
				c.session(domain, "close force")
			}
		}
		covered(domain, all, 20) // the page names few of the elements that it draws
	}

	c.session("cuedeck", "new ./deck")
	for n, s := range all[:60] {
		c.reply("cuedeck", map[string]any{"ops": []string{fmt.Sprintf("add card %s text:%s", grammar.Quote(s), grammar.Quote(all[199-n]))}})
	}
	p.Wait(`document.querySelector("#heading").textContent.startsWith("deck")`)
	check("cards", all[:60])
	covered("cards", all[:60], 20)

	files := 0
	for _, s := range all {
		if strings.ContainsAny(s, "/\\\x00") || len(s) > 200 {
			continue
		}
		files++
		put(t, c.cmd.Dir, s+".list", "#list "+s+"\n")
		c.session("list", "open path:"+grammar.Quote(filepath.Join(c.cmd.Dir, s+".list")))
		p.Wait(`document.querySelector("#tabs [aria-current]").title.includes(".list")`)
		check("file names", []string{s})
	}
	if files < 20 {
		t.Errorf("only %d payloads are file names", files)
	}
	checkRequests(t, p, address)
}
