package main

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// probe declares a resource that is ffprobe's description of a media file.
func probe(r abi.Resource) abi.Resource {
	r.Kind, r.Want, r.Accept = abi.ResourceProbe, "program:ffprobe", []string{".wav", ".mp4"}
	return r
}

// formatSupply formats the resource that the host fetched as a line.
func formatSupply(s *abi.Supply) string {
	if s.Failure != nil {
		return fmt.Sprintf("%s %s: %s (%s)", s.Kind, s.Word, s.Failure.Message, s.Failure.Kind)
	}
	return fmt.Sprintf("%s %s %s %q", s.Kind, s.Word, s.Name, s.Data[:min(len(s.Data), 400)])
}

// take adds a line for each word of the op: the resource that it names, or that it names none.
func take(c *pdk.Ctx[*list], a pdk.Args) error {
	words := a.Texts(0)
	for _, p := range a.Params {
		words = append(words, p.Value)
	}
	for _, word := range words {
		text := "nothing outside: " + word
		if s, err := c.Resource(word); err != nil {
			return err
		} else if s != nil {
			text = formatSupply(s)
		}
		if err := add(c, "%s", text); err != nil {
			return err
		}
	}
	return nil
}

func verbs() []pdk.Verb[*list] {
	return []pdk.Verb[*list]{
		{Verb: abi.Verb{Name: "add", Syntax: "add TEXT [n:N]", Min: 1, Max: 1, Params: []abi.Param{{Key: "n", Value: "N"}}, Examples: []string{"add x"}},
			Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
				n, err := a.Int("n", 1, 1, 100_000)
				for range n {
					if err := add(c, "%s", a.Text(0)); err != nil {
						return err
					}
				}
				return err
			}},
		{Verb: abi.Verb{Name: "remove", Syntax: "remove TEXT", Min: 1, Max: 1, Examples: []string{"remove x"}},
			Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
				i := slices.Index(c.Model.lines, a.Text(0))
				if i < 1 {
					return pdk.Errorf("no line %q", a.Text(0))
				}
				c.Deleted("%s", a.Text(0))
				return c.Do(&remove{At: i}, "remove "+a.Text(0), a.Text(0))
			}},
		{Verb: abi.Verb{Name: "place", Syntax: "place FILE… [under:FILE]", Max: -1, Params: []abi.Param{{Key: "under", Value: "FILE"}}, Examples: []string{"place ./a.txt"},
			Resources: []abi.Resource{{Position: -1, Kind: abi.ResourceBytes, Accept: []string{".txt"}}, {Key: "under", Kind: abi.ResourceBytes, Accept: []string{".txt", ".md"}}}},
			Run: take},
		{Verb: abi.Verb{Name: "clip", Syntax: "clip FILE", Min: 1, Max: 1, Examples: []string{"clip ./a.mp4"}, Resources: []abi.Resource{probe(abi.Resource{Position: 1})}}, Run: take},
		{Verb: abi.Verb{Name: "node", Syntax: "node TYPE", Min: 1, Max: 1, Examples: []string{"node chat"},
			Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceFetch, Want: "http:api", Path: []string{"nodes", "{}"}}}}, Run: take},
		{Verb: abi.Verb{Name: "include", Syntax: "include DOCUMENT", Min: 1, Max: 1, Examples: []string{"include other"}, Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceDocument}}}, Run: take},
		{Verb: abi.Verb{Name: "stamp", Syntax: "stamp", Examples: []string{"stamp"}}, Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
			return add(c, "%d %x %s", c.Now(), c.Nonce(), c.ID())
		}},
		{Verb: abi.Verb{Name: "put", Syntax: "put FILE TEXT", Summary: "make a file of the folder hold a text", Min: 2, Max: 2, Examples: []string{"put a.txt x"}}, Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
			c.Changed("%s", a.Text(0))
			return c.PutFile(a.Text(0), []byte(a.Text(1)), "put "+a.Text(0), a.Text(0))
		}},
		{Verb: abi.Verb{Name: "drop", Syntax: "drop FILE", Summary: "take a file of the folder away", Min: 1, Max: 1, Examples: []string{"drop a.txt"}}, Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
			c.Deleted("%s", a.Text(0))
			return c.RemoveFile(a.Text(0), "drop "+a.Text(0), a.Text(0))
		}},
		{Verb: abi.Verb{Name: "ask", Syntax: "ask", Examples: []string{"ask"}}, Run: func(c *pdk.Ctx[*list], a pdk.Args) error {
			_, err := c.HTTP("api", pdk.Get("ask")) // forbidden in an op
			return err
		}},
	}
}
