package search

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newIndex(files ...string) *Index {
	x := &Index{}
	for i := 0; i < len(files); i += 2 {
		x.Put(Doc{Path: files[i], Text: []byte(files[i+1])})
	}
	return x
}

func TestTheKeywordScoreIsThatOfTheContract(t *testing.T) {
	x := newIndex(
		"docs/auth flow.md", "nothing here",
		"docs/auth.md", "about the flow",
		"docs/both.md", "The Auth Flow of all",
		"docs/words.md", "flow, and auth apart",
		"docs/none.md", "something else",
		"auth/inside.md", "the folder does not count",
	)
	want := map[string]float64{
		"docs/auth flow.md": 100 + 10 + 10,
		"docs/auth.md":      10 + 5,
		"docs/both.md":      50 + 5 + 5,
		"docs/words.md":     5 + 5,
	}
	hits := x.Search(Query{Text: " AUTH flow ", Mode: Keyword, Limit: 50})
	got := map[string]float64{}
	for _, h := range hits {
		got[h.Path] = h.Score
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("scores are %v, want %v", got, want)
	}
	if hits[0].Path != "docs/auth flow.md" || hits[1].Path != "docs/both.md" {
		t.Errorf("order is %v", hits)
	}
}

// Texts that are not cached are folded for each search, with the same results.
func TestUncachedTextsAreFoldedAlike(t *testing.T) {
	for _, text := range []string{"The AUTH flow", "Über die Straße zur AUTH", "", "\xff AUTH"} {
		kept, bare := newIndex("a.md", text), newIndex("a.md", text)
		bare.docs["a.md"].folded = nil
		for _, q := range []string{"auth", "STRASSE", "ÜBER", "flow"} {
			q := Query{Text: q, Mode: Keyword, Limit: 1}
			if got, want := bare.Search(q), kept.Search(q); !reflect.DeepEqual(got, want) {
				t.Errorf("%q in %q: %v, want %v", q.Text, text, got, want)
			}
		}
	}
}

func TestFiltersTakeAnyTagAndIgnoreCase(t *testing.T) {
	x := &Index{}
	x.Put(Doc{Path: "a", Text: []byte("auth"), Tags: []string{"Security", "web"}, Priority: "high", Assignee: "@Dev"})
	x.Put(Doc{Path: "b", Text: []byte("auth"), Tags: []string{"other"}, Priority: "low"})
	x.Put(Doc{Path: "c", Text: []byte("auth")})
	for _, tt := range []struct {
		q    Query
		want []string
	}{
		{Query{}, []string{"a", "b", "c"}},
		{Query{Tags: []string{"none", "security"}}, []string{"a"}},
		{Query{Tags: []string{"web", "OTHER"}}, []string{"a", "b"}},
		{Query{Priority: "HIGH"}, []string{"a"}},
		{Query{Assignee: "@dev"}, []string{"a"}},
		{Query{Priority: "low", Assignee: "@dev"}, nil},
	} {
		for _, mode := range []Mode{Keyword, Semantic, Hybrid} {
			tt.q.Text, tt.q.Limit, tt.q.Mode = "auth", 5, mode
			var got []string
			for _, h := range x.Search(tt.q) {
				got = append(got, h.Path)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%+v finds %q, want %q", tt.q, got, tt.want)
			}
		}
	}
}

func TestSemanticFindsWordFormsAndTypos(t *testing.T) {
	x := newIndex(
		"a.md", "# Authentication\nHow users authenticate with tokens.\n",
		"b.md", "# Colours\nA palette for charts.\n",
		"c.rs", "fn VerifyToken() {}\n",
		"d.md", "検索エンジンの設計\n",
		"e.md", "Das Mädchen fährt über die Straße.\n",
	)
	for query, want := range map[string]string{
		"authenticating": "a.md", "autentication": "a.md", "color palete": "b.md", "verify": "c.rs", "verify_token": "c.rs",
		"検索": "d.md", "STRASSE über": "e.md", "ma\u0308dchen": "e.md",
	} {
		hits := x.Search(Query{Text: query, Mode: Semantic, Limit: 1})
		if len(hits) == 0 || hits[0].Path != want {
			t.Errorf("%q finds %v, want %s", query, hits, want)
		}
	}
	if hits := x.Search(Query{Text: "zebra", Mode: Hybrid, Limit: 5}); len(hits) != 0 {
		t.Errorf("found %v", hits)
	}
}

func TestHybridWeighsBothRankers(t *testing.T) {
	x := newIndex("login.md", "x", "a.md", "logins logins logins", "b.md", "nothing")
	semantic := x.Search(Query{Text: "login", Mode: Semantic, Limit: 3})
	keyword := x.Search(Query{Text: "login", Mode: Keyword, Limit: 3})
	of := func(hits []Hit, path string) float64 {
		for _, h := range hits {
			if h.Path == path {
				return h.Score / hits[0].Score
			}
		}
		return 0
	}
	for _, h := range x.Search(Query{Text: "login", Mode: Hybrid, Limit: 3}) {
		if want := 0.7*of(semantic, h.Path) + 0.3*of(keyword, h.Path); h.Score-want > 1e-5 || want-h.Score > 1e-5 {
			t.Errorf("%s scores %v, want %v", h.Path, h.Score, want)
		}
	}
}

func TestAnyQueryIsAnswered(t *testing.T) {
	x := newIndex("a.md", "text \x00 with \xff bytes", "b.md", "", "c.md", strings.Repeat("x", 2<<20)+" end")
	for _, q := range []string{"", " ", "\x00", "\xff", "é", strings.Repeat("word ", 40), strings.Repeat("z", 200), "a\nb", "#", "…"} {
		for _, mode := range []Mode{Keyword, Semantic, Hybrid, "other"} {
			for _, limit := range []int{-1, 0, 1, 50} {
				if n := len(x.Search(Query{Text: q, Mode: mode, Limit: limit})); n > max(limit, 0) {
					t.Errorf("%q gives %d hits of at most %d", q, n, limit)
				}
			}
		}
	}
}

// An index that was updated file by file must answer like a new one.
func TestIndexUpdatesMatchANewIndex(t *testing.T) {
	vocabulary := strings.Fields("auth flow login Token verifyToken scene card graph cycle search index file hash colour straße 検索")
	rapid.Check(t, func(t *rapid.T) {
		x, now := &Index{}, map[string]Doc{}
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			path := rapid.SampledFrom([]string{"a.md", "b.md", "docs/c.md", "d.rs"}).Draw(t, "path")
			if rapid.IntRange(0, 4).Draw(t, "gone") == 0 {
				x.Remove(path)
				delete(now, path)
				continue
			}
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 12).Draw(t, "text"), " ")
			d := Doc{Path: path, Text: []byte(text)}
			x.Put(d)
			now[path] = d
		}
		fresh := &Index{}
		for _, path := range slices.Sorted(func(yield func(string) bool) {
			for p := range now {
				if !yield(p) {
					return
				}
			}
		}) {
			fresh.Put(now[path])
		}
		q := Query{Text: strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3).Draw(t, "query"), " "), Mode: Keyword, Limit: 10}
		if got, want := x.Search(q), fresh.Search(q); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, want %v", q.Text, got, want)
		}
		q.Mode = Semantic
		got, want := x.Search(q), fresh.Search(q)
		if len(got) != len(want) {
			t.Fatalf("%q: %v, want %v", q.Text, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%q: %v, want %v", q.Text, got, want)
			}
		}
	})
}

func TestDeclarationsAreAnchors(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a.go":   {"package a\n\ntype Server struct{}\nfunc (s *Server) Serve(x int) error {\n\tfunc inner() {}\n}\nfunc Plain[T any]() {}\nconst Max = 1\n", "Server Serve Plain Max"},
		"a.rs":   {"use x;\npub struct Token;\nimpl Token {\n    pub async fn verify_token(&self) -> bool { true }\n}\npub(crate) enum Kind { A }\nmacro_rules! m { }\n", "Token verify_token Kind m"},
		"a.py":   {"import os\nclass Store:\n    def get(self):\n        pass\nasync def main(): pass\n", "Store get main"},
		"a.ts":   {"export default class Login {}\nexport const useLogin = () => 1\ninterface Props {}\nexport async function load() {}\ntype Id = string\nreturn x\n", "Login useLogin Props load Id"},
		"a.c":    {"#define MAX 1\nstatic int verify(const char *s) {\n  return check(s);\n  if (a) {\n}\nstruct token { int a; };\nint declared(void);\n", "MAX verify token"},
		"A.java": {"package a;\npublic final class Login extends Base {\n  public static void main(String[] args) {\n", "Login"},
		"a.md":   {"# Title\nfunc main() {}\n", ""},
		"a.txt":  {"func main() {}\n", ""},
	} {
		if got := strings.Join(Declared(name, tt.text), " "); got != tt.want {
			t.Errorf("%s declares %q, want %q", name, got, tt.want)
		}
	}
}

func TestAnchorsThatMatchTheQueryComeFirst(t *testing.T) {
	all := []string{"Title", "Login Flow", "OAuth", "Flow of data"}
	if got := Top(all, "flow", 3); !slices.Equal(got, []string{"Login Flow", "Flow of data", "Title"}) {
		t.Errorf("got %q", got)
	}
	if got := Top(nil, "flow", 3); got == nil || len(got) != 0 {
		t.Errorf("got %#v", got)
	}
}

// workspace returns 500 documents and 500 cards.
func workspace() []Doc {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		return fmt.Sprintf("%s%d", []string{"auth", "flow", "token", "login", "graph", "card"}[r.IntN(6)], r.IntN(2000))
	}
	var out []Doc
	for i := range 1000 {
		lines := 60
		if i%2 == 0 {
			lines = 6
		}
		var b strings.Builder
		for range lines {
			for range 10 {
				b.WriteString(word() + " ")
			}
			b.WriteByte('\n')
		}
		out = append(out, Doc{Path: fmt.Sprintf("docs/d%d.md", i), Text: []byte(b.String())})
	}
	return out
}

func BenchmarkIndex(b *testing.B) {
	docs := workspace()
	for b.Loop() {
		x := &Index{}
		for _, d := range docs {
			x.Put(d)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	x := &Index{}
	for _, d := range workspace() {
		x.Put(d)
	}
	for b.Loop() {
		x.Search(Query{Text: "login flow of tokens", Limit: 5})
	}
}

// A word counts more than one that is merely like it.
func TestTheWordItselfComesBeforeSimilarOnes(t *testing.T) {
	x := newIndex("a.md", "banananana", "b.md", "banana and more")
	for _, word := range []string{"banana", "bananana", "banananana"} {
		for term, weight := range x.similarTerms(word) {
			if same := x.names[term] == word; same != (weight == 1) || weight > 1 {
				t.Errorf("%s stands for %s with the weight %v", x.names[term], word, weight)
			}
		}
	}
	if hits := x.Search(Query{Text: "banana", Mode: Semantic, Limit: 2}); len(hits) != 2 || hits[0].Path != "b.md" {
		t.Errorf("found %v", hits)
	}
}
