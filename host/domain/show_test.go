package domain

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestOnlyPicturesAreShown(t *testing.T) {
	for text, want := range map[string]Shown{
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 5,20 40" width="1"/>`:                                                              {"image/svg+xml", -10, 5, 20, 40},
		`<?xml version="1.0" encoding="latin1"?><!-- x --><s:svg xmlns:s="http://www.w3.org/2000/svg" width="12px" height="7"><script/></s:svg>`: {"image/svg+xml", 0, 0, 12, 7},
		`<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 NaN 3">`:                                                              {"image/svg+xml", 0, 0, 300, 150},
		`<!DOCTYPE svg [<!ENTITY a "x">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1e99 3"/>`:                                         {"image/svg+xml", 0, 0, 300, 150},
		// An image with another aspect ratio than its viewBox shows more than it, or cuts it off.
		`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 10 10"/>`:                                      {"image/svg+xml", -5, 0, 20, 10},
		`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 10 10" preserveAspectRatio="xMaxYMin"/>`:       {"image/svg+xml", -10, 0, 20, 10},
		`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="200" viewBox="0 0 10 10" preserveAspectRatio="xMidYMin meet"/>`:  {"image/svg+xml", 0, 0, 10, 20},
		`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 10 10" preserveAspectRatio="xMidYMax slice"/>`: {"image/svg+xml", 0, 5, 10, 5},
		`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 10 10" preserveAspectRatio="none"/>`:           {"image/svg+xml", 0, 0, 10, 10},
		`<svg xmlns="http://www.w3.org/2000/svg" width="1in" height="50.8mm"/>`:                                                       {"image/svg+xml", 0, 0, 96, 192},
		`<svg xmlns="http://www.w3.org/2000/svg" width="3em" height="50%" viewBox="0 0 10 20"/>`:                                      {"image/svg+xml", 0, 0, 10, 20},
	} {
		if got, err := Show([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "text", "<html xmlns=\"http://www.w3.org/1999/xhtml\"><svg xmlns=\"http://www.w3.org/2000/svg\"/></html>", "<svg/>", "<svg xmlns=\"http://www.w3.org/1999/xhtml\"/>"} {
		if got, err := Show([]byte(text)); err == nil {
			t.Errorf("%q is shown as %v", text, got)
		}
	}
}

func TestAreasAreBounded(t *testing.T) {
	out := &abi.QueryResponse{Pages: make([]string, abi.MaxPages+1), Areas: []abi.Area{
		{Name: "a\nb" + strings.Repeat("x", 1000), X: -5, Width: 1, IDs: make([]string, 100)},
		{Name: "far", X: maxArea + 1}, {Name: "inside out", Width: -1}, {Name: "high", Height: 1 << 40}}}
	cleanShown(out)
	if len(out.Pages) != abi.MaxPages || len(out.Areas) != 1 || len(out.Areas[0].Name) > 256 || strings.Contains(out.Areas[0].Name, "\n") || len(out.Areas[0].IDs) != maxIDs {
		t.Errorf("%d pages and %+v", len(out.Pages), out.Areas)
	}
	out = &abi.QueryResponse{Page: 2, Pages: []string{"one"}, Times: []abi.Moment{{At: 0, X: 5}, {At: 0, X: 6}, {At: 9, X: 4}, {At: 10, X: 5}},
		Notes:  []abi.Note{{Velocity: 1, Channel: 16}, {Velocity: 1}, {Velocity: 128, Channel: 1}, {Velocity: 1, Channel: 1, Key: 128}, {Velocity: 1, Channel: 1, At: -1}, {Velocity: 1, Channel: 1, Length: maxTime + 1}},
		Levels: []abi.Level{{At: 5, Channel: 1, Level: 127}, {At: 4, Channel: 1}, {At: 6}, {At: 6, Channel: 17}, {At: 6, Channel: 1, Level: 128}, {At: 6, Channel: 1, Level: -1}, {At: maxTime + 1, Channel: 1}}}
	cleanShown(out)
	if out.Page != 0 || len(out.Times) != 2 || len(out.Notes) != 1 || len(out.Levels) != 1 {
		t.Errorf("a picture's page %d, times %v and notes %v and levels %v", out.Page, out.Times, out.Notes, out.Levels)
	}
	for asks, fine := range map[string]bool{"preview format:svg": true, "": true, "other": false, `"`: false} {
		m := &abi.Manifest{Queries: []abi.Query{{Name: "preview"}}, View: &abi.View{Picture: asks}}
		if err := checkView(m); (err == nil) != fine {
			t.Errorf("a view that asks %q: %v", asks, err)
		}
	}
}

// A picture that draws itself again and again would keep the page from answering.
func TestAPictureThatDrawsTooMuchIsNotShown(t *testing.T) {
	const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">`
	bomb := func(group, ref string) string {
		text := head + `<defs><g id="a0"><rect width="1" height="1"/></g>`
		for i := range 7 {
			text += fmt.Sprintf(group, i+1, strings.Repeat(fmt.Sprintf(ref, i), 10))
		}
		return text + `</defs>` + fmt.Sprintf(ref, 7) + `</svg>`
	}
	inside := func(text string) string {
		return head + `<image href="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(text)) + `"/></svg>`
	}
	uses := bomb(`<g id="a%d">%s</g>`, `<use href="#a%d"/>`)
	for name, text := range map[string]string{
		"in a picture":   inside(inside(uses)),
		"in plain words": head + `<image href="data:image/svg+xml,` + url.PathEscape(uses) + `"/></svg>`,
		"too deep":       inside(inside(inside(inside(inside(head + `</svg>`))))),
		"use":            bomb(`<g id="a%d">%s</g>`, `<use href="#a%d"/>`),
		"use of old":     bomb(`<g id="a%d">%s</g>`, `<use x:href="&#35;a%d"/>`),
		"later":          head + `<use href="#z"/>` + strings.ReplaceAll(bomb(`<g id="a%d">%s</g>`, `<use href=" #a%d "/>`), head, `<g id="z">`)[0:] + `</g></svg>`,
		"pattern":        bomb(`<pattern id="a%d" width="1" height="1">%s</pattern>`, `<rect fill="url(#a%d)"/>`),
		"style":          bomb(`<mask id="a%d">%s</mask>`, `<rect style="mask: url('#a%d')"/>`),
		"use in circles": head + strings.Repeat(`<g id="c">`+strings.Repeat(`<use href="#b"/>`, 2000)+`</g>`, 1) + `<g id="b">` + strings.Repeat(`<use href="#d"/>`, 2000) + `</g><g id="d"><use href="#c"/></g></svg>`,
	} {
		if _, err := Show([]byte(text)); !errors.Is(err, errHeavy) {
			t.Errorf("%s is shown: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"in one":   inside(inside(head + `<use href="#a"/></svg>`)),
		"a photo":  head + `<image href="data:image/png;base64,AAAA"/><image href="data:,%zz"/><image href="data:image/svg+xml;base64,?"/></svg>`,
		"itself":   head + `<g id="a"><use href="#a"/><use href="#b"/></g><g id="b"><use href="#a"/></g><use href="#none"/></svg>`,
		"many":     head + `<linearGradient id="g"><stop/><stop/></linearGradient>` + strings.Repeat(`<rect fill="url(#g)" width="1"/>`, 50_000) + `</svg>`,
		"cut off":  head + `<g id="a"><use href="#a"/><use href="#`,
		"deep":     head + strings.Repeat(`<g mask="url(#m)">`, 20_000) + `</svg>`,
		"no links": head + strings.Repeat(`<g/>`, 100) + `</svg>`,
	} {
		if _, err := Show([]byte(text)); err != nil {
			t.Errorf("%s is not shown: %v", name, err)
		}
	}
}
