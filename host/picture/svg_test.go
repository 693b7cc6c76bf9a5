package picture

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestOnlyPicturesAreShown(t *testing.T) {
	for text, want := range map[string]Info{
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
		if got, err := Inspect([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "text", "<html xmlns=\"http://www.w3.org/1999/xhtml\"><svg xmlns=\"http://www.w3.org/2000/svg\"/></html>", "<svg/>", "<svg xmlns=\"http://www.w3.org/1999/xhtml\"/>"} {
		if got, err := Inspect([]byte(text)); err == nil {
			t.Errorf("%q is shown as %v", text, got)
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
		if _, err := Inspect([]byte(text)); !errors.Is(err, errHeavy) {
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
		if _, err := Inspect([]byte(text)); err != nil {
			t.Errorf("%s is not shown: %v", name, err)
		}
	}
}
