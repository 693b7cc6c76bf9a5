// Command demo does the main job and prints the conversation: it starts the
// real server with a real MCP client, opens a diagram and a song, edits,
// undoes, queries, draws and saves. The edited files are left in demo/out.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	host, err := filepath.Abs("bin/fcp-host")
	if err != nil {
		return err
	}
	out, err := filepath.Abs("demo/out")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	fmt.Printf("$ fcp-host --root %s\n\n", rel(out))
	c, err := client.NewStdioMCPClient(host, nil, "--root", out)
	if err != nil {
		return err
	}
	defer c.Close()
	init := mcp.InitializeRequest{}
	init.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	init.Params.ClientInfo = mcp.Implementation{Name: "demo", Version: "1"}
	info, err := c.Initialize(ctx, init)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return fmt.Errorf("tools/list: %w", err)
	}
	var names []string
	for _, t := range tools.Tools {
		names = append(names, t.Name)
	}
	fmt.Printf("connected to %s %s: %s\n\n", info.ServerInfo.Name, info.ServerInfo.Version, strings.Join(names, " "))

	d := &dialog{ctx: ctx, c: c}
	song, diagram := pick("data/midi/menuet.mid", out), pick("data/drawio/basic-classes.xml", out)

	d.editSong(song)
	d.editDiagram(diagram)
	d.drawMoon()
	if d.err != nil {
		return d.err
	}
	files, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	fmt.Println("── files in demo/out ──")
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return err
		}
		fmt.Printf("%8d  %s\n", info.Size(), f.Name())
	}
	return nil
}

// pick copies a shared file into the demo's folder and returns its name there,
// or "" if the shared data does not exist.
func pick(path, out string) string {
	shared := os.Getenv("FCP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "shared")
	}
	data, err := os.ReadFile(filepath.Join(shared, path))
	if err != nil {
		return ""
	}
	name := filepath.Base(path)
	if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
		return ""
	}
	return name
}

func rel(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if r, err := filepath.Rel(wd, path); err == nil {
			return r
		}
	}
	return path
}

// dialog makes calls, prints each with its answer, and keeps the first error.
type dialog struct {
	ctx context.Context
	c   *client.Client
	err error
}

// editSong edits the file song, or one that it first writes if song is "".
func (d *dialog) editSong(song string) {
	fmt.Println("── a song ──")
	if song == "" {
		// Without shared data, write the song first.
		song = "menuet.mid"
		d.session("midi", `new "Menuet" tempo:110 time-sig:3/4`)
		d.edit("midi", "track add Flute instrument:flute", "note Flute D5 at:1.1 dur:quarter", "note Flute G4 at:1.2 dur:eighth", "note Flute A4 at:1.2.240 dur:eighth")
		d.session("midi", "save as:./"+song)
	}
	d.session("midi", "open ./"+song)
	d.query("midi", "map")
	d.edit("midi", "track add Bass instrument:acoustic-bass", "note Bass G2 at:1.1 dur:quarter vel:mf", "chord Bass G at:2.1 dur:half", "marker Demo at:1.1")
	d.refused("midi", "note Bass C3 at:3.1", "note Bsas H9 at:3.1")
	d.session("midi", "undo")
	d.query("midi", "events Bass")
	d.query("midi", "history 5")
	d.session("midi", "save as:./song-edited.mid")
}

// editDiagram edits the file diagram, or one that it first writes if diagram is "".
func (d *dialog) editDiagram(diagram string) {
	fmt.Println("── a diagram ──")
	if diagram == "" {
		diagram = "classes.drawio"
		d.session("drawio", `new "Classes"`)
		d.edit("drawio", "add svc Orders", "add db OrderDB near:Orders dir:below", "connect Orders -> OrderDB label:reads")
		d.session("drawio", "save as:./"+diagram)
	}
	d.session("drawio", "open ./"+diagram)
	d.query("drawio", "stats")
	d.edit("drawio", "add svc AuthService theme:blue", "add db UserDB theme:green near:AuthService dir:right", "connect AuthService -> UserDB label:queries")
	d.session("drawio", "checkpoint wired")
	d.edit("drawio", "style AuthService fill:#ffcc00 bold")
	d.session("drawio", "undo to:wired")
	d.query("drawio", "describe AuthService")
	d.session("drawio", "save as:./diagram-edited.drawio")
}

// drawMoon makes a new drawing.
func (d *dialog) drawMoon() {
	fmt.Println("── a drawing ──")
	d.session("svg", `new "Moon" size:96x96`)
	d.edit("svg", "add circle disc r:36 at:48,48 fill:#3d405b", "add circle bite r:30 at:62,40", "bool subtract disc bite as:moon", "add polygon star sides:5 star:0.45 r:9 at:70,30 fill:#f2cc8f")
	d.query("svg", "map")
	d.session("svg", "save as:./moon.svg")
}

func (d *dialog) edit(domain string, ops ...string) {
	d.call(domain, map[string]any{"ops": ops}, "ops:\n    "+strings.Join(ops, "\n    "), false)
}

func (d *dialog) refused(domain string, ops ...string) {
	d.call(domain, map[string]any{"ops": ops}, "ops:\n    "+strings.Join(ops, "\n    "), true)
}

func (d *dialog) query(domain, q string) {
	d.call(domain+"_query", map[string]any{"q": q}, q, false)
}

func (d *dialog) session(domain, action string) {
	d.call(domain+"_session", map[string]any{"action": action}, action, false)
}

func (d *dialog) call(tool string, args map[string]any, shown string, refusal bool) {
	if d.err != nil {
		return
	}
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := d.c.CallTool(d.ctx, req)
	if err != nil {
		d.err = fmt.Errorf("%s: %w", tool, err)
		return
	}
	var text string
	for _, c := range res.Content {
		if t, ok := c.(mcp.TextContent); ok {
			text += t.Text
		}
	}
	fmt.Printf("▸ %s  %s\n", tool, shown)
	for line := range strings.Lines(text) {
		fmt.Printf("  %s", line)
	}
	fmt.Print("\n\n")
	if res.IsError != refusal {
		d.err = errors.New(tool + " did not answer as expected")
	}
}
