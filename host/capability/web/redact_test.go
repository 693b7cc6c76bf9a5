package web

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// forms returns the encodings in which a response may repeat a secret, by name.
func forms(secret string) map[string]string {
	var percents, lower, unicodes strings.Builder
	for _, c := range []byte(secret) {
		fmt.Fprintf(&percents, "%%%02X", c)
		fmt.Fprintf(&lower, "%%%02x", c)
		fmt.Fprintf(&unicodes, `\u%04x`, c)
	}
	quoted, _ := json.Marshal(secret)
	inner := string(quoted[1 : len(quoted)-1])
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	enc.Encode(secret)
	out := map[string]string{
		"plain": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret),
		"percents": percents.String(), "lower percents": lower.String(), "JSON": inner,
		"JSON without HTML": strings.TrimSuffix(plain.String(), "\"\n")[1:], "slashes": strings.ReplaceAll(inner, "/", `\/`),
		"unicodes": unicodes.String(), "upper unicodes": strings.ReplaceAll(strings.ToUpper(unicodes.String()), `\U`, `\u`),
	}
	for i, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for before := range 3 {
			// The characters that only bits of the secret determine.
			all := enc.EncodeToString([]byte("xyz"[:before] + secret + "uvw"))
			s := all[(before*8+5)/6 : (before+len(secret))*8/6]
			name := fmt.Sprintf("base64 %d after %d", i, before)
			out[name] = s
			out[name+" in a query"] = url.QueryEscape(s)
			out[name+" in a query in a query"] = url.QueryEscape(url.QueryEscape(s))
			out[name+" in JSON"] = strings.ReplaceAll(s, "/", `\/`)
		}
	}
	if strings.ContainsAny(secret, `%\`) { // which one of several escapes gives is not known
		return out
	}
	for _, name := range []string{"query", "path", "percents", "JSON", "slashes", "unicodes"} {
		for range 2 {
			deeper := out[name]
			if name == "query" || name == "path" || name == "percents" {
				deeper = url.QueryEscape(deeper)
			} else {
				again, _ := json.Marshal(deeper)
				deeper = string(again[1 : len(again)-1])
			}
			name += " again"
			out[name] = deeper
		}
	}
	return out
}

func TestUnracedEachFormOfASecretIsRemoved(t *testing.T) {
	testwasm.Unraced(t)
	for _, secret := range []string{key, "abcdefgh", `a"b\c/d<e>f&g%h i+j=k`, "00000000", "%25%2525", `\\\\\\\\`, `\u0041\u0041`, "a b+c d+", strings.Repeat("ab", 400)} {
		r := NewRedactor(secret)
		for name, form := range forms(secret) {
			for _, around := range []string{"", "x", `\`, "%", "%2", `"`, `\u00`, " = ", secret[:len(secret)-1]} {
				for _, form := range []string{form, strings.ToLower(form), strings.ToUpper(form)} {
					text := around + form + around + form
					got := string(r.Bytes([]byte(text)))
					if strings.Contains(got, form) || !strings.Contains(got, mark) || r.Text(text) != got {
						t.Errorf("%s of %.30q between %.20q: %.200s", name, secret, around, got)
					}
				}
			}
		}
	}
}

func TestTextWithoutASecretStays(t *testing.T) {
	r := NewRedactor(key, "")
	for _, s := range []string{"", "no secret", key[:len(key)-1], `{"a":"\u00e9\n\\","b":"%20%zz%"}`, "\xff\x00\\", `\u00`, "%"} {
		b := []byte(s)
		if got := r.Bytes(b); string(got) != s {
			t.Errorf("%q became %q", s, got)
		}
		if got := r.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := NewRedactor("abcdefgh").Text("[abcdefgh][abcdefghabcdefgh]"); got != "["+mark+"]["+mark+"]" {
		t.Error(got)
	}
	if got := (*Redactor)(nil).Text("x"); got != "x" {
		t.Error(got)
	}
}

func TestOverlappingSecretsAreRemovedCompletely(t *testing.T) {
	r := NewRedactor("abcdefgh", "efghijkl", "abcdefghijklmnop")
	for _, s := range []string{"abcdefghijkl", "abcdefghijklmnop", "abcd%65fghijkl"} {
		if got := r.Text("-" + s + "-"); got != "-"+mark+"-" {
			t.Errorf("%s: %s", s, got)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(key, "a", "b")
	f.Add(`a"b\c/d e+`, `\`, "%2")
	f.Add("%25%25%25", "%25", `\u0025`)
	f.Add("••••••••", "x", "y")
	f.Add("aaaaaaaaa", "aaa", "aaaa")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		if len(secret) < minSecret || len(secret) > 100 || !isVisible(secret) {
			t.Skip()
		}
		r := NewRedactor(secret)
		all := forms(secret)
		var text strings.Builder
		for _, form := range all {
			text.WriteString(before + form + after)
		}
		for _, s := range []string{text.String(), before + secret + after, after + before} {
			got := string(r.Bytes([]byte(s)))
			for name, form := range all {
				if strings.Contains(got, form) {
					t.Fatalf("%s of %q is left in %q of %q", name, secret, got, s)
				}
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	r := NewRedactor("QmxhY2tiaXJkIHNpbmdpbmcgaW4gdGhlIGRlYWQgb2Y=")
	body := bytes.Repeat([]byte(`{"id":"5f0e","flowData":"{\"nodes\":[{\"id\":\"chat_0\",\"position\":{\"x\":10.5}}]}","name":"A flow"},`), 9000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r.Bytes(body)
	}
}

// Of secrets that lie within or across each other, nothing is left.
func TestSecretsThatOverlapAreRemovedWhole(t *testing.T) {
	for _, secrets := range [][]string{{"outer-inner-tail", "inner"}, {"inner", "outer-inner-tail"}, {"outer-inner", "inner-tail"}, {"inner-tail", "outer-inner"}} {
		r := NewRedactor(secrets...)
		if got := r.Text("before outer-inner-tail after"); got != "before "+mark+" after" {
			t.Errorf("%q: %s", secrets, got)
		}
		if got := r.Text("before outer%2Dinner%2Dtail after"); got != "before "+mark+" after" {
			t.Errorf("%q, escaped: %s", secrets, got)
		}
	}
}
