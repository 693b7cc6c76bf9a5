package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// asks maps commands of queries and session actions to functions that make requests to host with the
// command's words and return the answer as text.
var asks = []struct {
	name, syntax, summary string
	wants                 []string
	run                   func(h *pdk.Host, a pdk.Args) (string, error)
}{
	{"get", "get PATH…", "what a GET of this path gives", []string{"http:api"}, func(h *pdk.Host, a pdk.Args) (string, error) {
		return formatAnswer(h.HTTP("api", pdk.Get(a.Texts(0)...)))
	}},
	{"send", "send METHOD PATH… [endpoint:NAME] [body:TEXT] [header:NAME=VALUE] [query:NAME=VALUE]", "what any request gives, also one that is not granted", nil,
		func(h *pdk.Host, a pdk.Args) (string, error) {
			return formatAnswer(h.HTTP(a.String("endpoint", "api"), request(a)))
		}},
	{"all", "all N PATH…", "N requests side by side", nil, func(h *pdk.Host, a pdk.Args) (string, error) {
		var list []pdk.Request
		for i := range number(a.Text(0)) {
			list = append(list, pdk.Get(a.Texts(1)...).Query("n", fmt.Sprint(i)).To("api"))
		}
		var out []string
		for _, answer := range pdk.All(h, list...) {
			text, err := formatAnswer(answer.Response, answer.Err)
			if err != nil {
				text = describe(err)
			}
			out = append(out, text)
		}
		return strings.Join(out, "\n"), nil
	}},
	{"many", "many N PATH…", "N requests after one another", nil, func(h *pdk.Host, a pdk.Args) (text string, err error) {
		for i := range number(a.Text(0)) {
			if text, err = formatAnswer(h.HTTP("api", pdk.Get(a.Texts(1)...).Query("n", fmt.Sprint(i)))); err != nil {
				return "", err
			}
		}
		return text, nil
	}},
	{"forever", "forever", "requests without end", nil, func(h *pdk.Host, a pdk.Args) (string, error) {
		for {
			h.HTTP("api", pdk.Get("forever"))
		}
	}},
	{"wait", "wait MS", "answers later", nil, func(h *pdk.Host, a pdk.Args) (string, error) {
		return "waited", h.After(time.Duration(number(a.Text(0))) * time.Millisecond)
	}},
	{"peek", "peek FILE OFFSET LENGTH", "a stretch of a file", nil, func(h *pdk.Host, a pdk.Args) (string, error) {
		data, size, err := h.ReadFile(a.Text(0), number(a.Text(1)), number(a.Text(2)))
		return fmt.Sprintf("%q of %d", data, size), err
	}},
	{"program", "program NAME [FILE…] [arg:TEXT]", "what a program prints, also one that is not granted", nil, func(h *pdk.Host, a pdk.Args) (string, error) {
		run := abi.Run{Program: a.Text(0), Inputs: a.Texts(1)}
		for _, p := range a.Params {
			run.Args = append(run.Args, p.Value)
		}
		printed, err := h.RunProgram(run)
		return string(printed), err
	}},
	{"measure", "measure FILE", "how long a media file lasts", []string{"program:ffprobe"}, func(h *pdk.Host, a pdk.Args) (string, error) {
		printed, err := h.RunProgram(abi.Run{Program: "ffprobe", Args: []string{"-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", "{in:0}"}, Inputs: a.Texts(0)})
		return strings.TrimSpace(string(printed)), err
	}},
	{"can", "can", "what is granted", nil, func(h *pdk.Host, a pdk.Args) (string, error) {
		var out []string
		for _, want := range []string{"http:api", "http:mute", "program:ffmpeg", "program:ffprobe", "folder"} {
			if h.Can(want) {
				out = append(out, want)
			}
		}
		return strings.Join(out, " "), nil
	}},
}

// request builds the request that the words METHOD PATH… and the keys describe.
func request(a pdk.Args) *pdk.HTTPRequest {
	start := map[string]func(...string) *pdk.HTTPRequest{"GET": pdk.Get, "POST": pdk.Post, "PUT": pdk.Put, "PATCH": pdk.Patch, "DELETE": pdk.Delete}
	make := start[a.Text(0)]
	if make == nil {
		make = pdk.Get
	}
	r := make(a.Texts(1)...)
	for _, p := range a.Params {
		key, value, _ := strings.Cut(p.Value, "=")
		switch p.Key {
		case "body":
			r.Body("text/plain", []byte(p.Value))
		case "header":
			r.Header(key, value)
		case "query":
			r.Query(key, value)
		}
	}
	return r
}

// formatAnswer formats a server's answer: its status, its unusual headers, its body.
func formatAnswer(r *pdk.Response, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("%s", describe(err))
	}
	out := fmt.Sprint(r.Status)
	for _, h := range r.Headers {
		if strings.HasPrefix(h.Key, "X-") {
			out += " " + h.Key + "=" + h.Value
		}
	}
	return strings.TrimSpace(out + " " + string(r.Body)), nil
}

// describe formats everything that a domain learns about a failure.
func describe(err error) string {
	e, ok := err.(*pdk.RequestError)
	if !ok {
		return err.Error()
	}
	sent := ""
	if e.Sent {
		sent = ", sent"
	}
	return fmt.Sprintf("%s (%s%s)", e.Message, e.Kind, sent)
}

func number(s string) (n int) {
	fmt.Sscan(s, &n)
	return n
}

func queries() []pdk.Query[*list] {
	out := []pdk.Query[*list]{
		{Query: abi.Query{Name: "map", Syntax: "map", Summary: "all lines"}, Run: func(v *pdk.View[*list], a pdk.Args) (abi.QueryResponse, error) {
			if f := v.Model.files; f != nil {
				out := []string{}
				for _, name := range f.Names() {
					out = append(out, fmt.Sprintf("%s: %s", name, f.Get(name)))
				}
				return abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
			}
			return abi.QueryResponse{Text: strings.Join(v.Model.lines, "\n")}, nil
		}},
	}
	for _, ask := range asks {
		out = append(out, pdk.Query[*list]{Query: abi.Query{Name: ask.name, Syntax: ask.syntax, Summary: ask.summary, Wants: ask.wants},
			Run: func(v *pdk.View[*list], a pdk.Args) (abi.QueryResponse, error) {
				text, err := ask.run(v.Host, a)
				return abi.QueryResponse{Text: text}, err
			}})
	}
	return out
}

// actions returns do-get, do-send and so on, which add the answer as a line, and some others.
func actions() []pdk.SessionAction[*list] {
	var out []pdk.SessionAction[*list]
	verb := func(s abi.Session, run func(c *pdk.Ctx[*list], a pdk.Args) error) {
		out = append(out, pdk.SessionAction[*list]{Session: s, Run: func(c *pdk.Ctx[*list], a pdk.Args, _ []byte) error { return run(c, a) }})
	}
	for _, ask := range asks {
		verb(abi.Session{Name: "do-" + ask.name, Syntax: "do-" + ask.syntax, Summary: ask.summary + ", as a line", Wants: ask.wants}, func(c *pdk.Ctx[*list], a pdk.Args) error {
			text, err := ask.run(c.Host, a)
			if err != nil {
				return err
			}
			return add(c, "%s", text)
		})
	}
	verb(abi.Session{Name: "push", Syntax: "push PATH… [body:TEXT]", Summary: "POST, and keep the answer", Wants: []string{"http:api"}}, func(c *pdk.Ctx[*list], a pdk.Args) error {
		text, err := formatAnswer(c.HTTP("api", pdk.Post(a.Texts(0)...).JSON(map[string]string{"text": a.String("body", "")})))
		if err != nil {
			return err
		}
		return add(c, "pushed %s", text)
	})
	verb(abi.Session{Name: "late", Syntax: "late", Summary: "edits, then asks, which the SDK refuses"}, func(c *pdk.Ctx[*list], a pdk.Args) error {
		if err := add(c, "late"); err != nil {
			return err
		}
		_, err := c.HTTP("api", pdk.Get("late"))
		return err
	})
	verb(abi.Session{Name: "render", Syntax: "render [as:FILE] [duration:MS]", Summary: "a video without a picture of yours", Wants: []string{"program:ffmpeg"}}, func(c *pdk.Ctx[*list], a pdk.Args) error {
		run, err := video(a)
		if err != nil {
			return err
		}
		c.Start(run)
		return add(c, "rendered")
	})
	verb(abi.Session{Name: "take", Syntax: "take FILE", Summary: "what the file holds, as a line", Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceBytes, Accept: []string{".txt"}}}}, take)
	verb(abi.Session{Name: "join", Syntax: "join DOCUMENT", Summary: "what another document holds, as a line", Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceDocument}}}, take)
	return out
}

// video returns a run of ffmpeg that makes a video of the length given by duration:.
func video(a pdk.Args) (abi.Run, error) {
	ms, err := a.Int("duration", 500, 1, 600_000)
	return abi.Run{Program: "ffmpeg", Args: []string{"-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=64x64:rate=10:duration=%d.%03d", ms/1000, ms%1000), "-y", "{out:0}"},
		Outputs: []string{".mp4"}, Duration: ms}, err
}

func formats() []pdk.Format[*list] {
	return []pdk.Format[*list]{
		{Format: abi.Format{Name: "upper", Extension: ".txt", MIME: "text/plain", Summary: "in capitals"},
			Write: func(l *list, a pdk.Args) ([]byte, error) {
				return []byte(strings.ToUpper(strings.Join(l.lines, "\n"))), nil
			}},
		{Format: abi.Format{Name: "printed", Extension: ".txt", MIME: "text/plain", Summary: "as the server prints it", Wants: []string{"http:api"}},
			Run: func(v *pdk.View[*list], a pdk.Args) (abi.SaveResponse, error) {
				r, err := v.HTTP("api", pdk.Post("print").Body("text/plain", []byte(strings.Join(v.Model.lines, "\n"))))
				if err != nil {
					return abi.SaveResponse{}, err
				}
				return abi.SaveResponse{Data: r.Body}, r.Check()
			}},
		{Format: abi.Format{Name: "mp4", Extension: ".mp4", MIME: "video/mp4", Summary: "a video", Wants: []string{"program:ffmpeg"}}, Params: []string{"duration"},
			Run: func(v *pdk.View[*list], a pdk.Args) (abi.SaveResponse, error) {
				run, err := video(a)
				return abi.SaveResponse{Run: &run}, err
			}},
	}
}
