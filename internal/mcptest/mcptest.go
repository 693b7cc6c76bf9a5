// Package mcptest tests our servers with a client that we did not write, the client of an MCP library.
package mcptest

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Client is an MCP library's client of a server over stdio.
type Client struct {
	Tools []string // that the server has

	t      testing.TB
	client *mcpclient.Client
	stderr strings.Builder
}

// Starts starts a server in a folder, with exactly this environment, and lists its tools.
func Starts(t testing.TB, dir string, env []string, argv ...string) *Client {
	t.Helper()
	c := &Client{t: t}
	var err error
	c.client, err = mcpclient.NewStdioMCPClientWithOptions(argv[0], env, argv[1:], transport.WithCommandStderrWriter(&c.stderr),
		transport.WithCommandFunc(func(ctx context.Context, command string, env, args []string) (*exec.Cmd, error) {
			cmd := exec.CommandContext(ctx, command, args...)
			cmd.Dir, cmd.Env = dir, env
			return cmd, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = mcp.LATEST_PROTOCOL_VERSION, mcp.Implementation{Name: "test", Version: "1"}
	_, err = c.client.Initialize(t.Context(), hello)
	var list *mcp.ListToolsResult
	if err == nil {
		list, err = c.client.ListTools(t.Context(), mcp.ListToolsRequest{})
	}
	if err != nil {
		c.client.Close()
		t.Fatalf("%v\n%s", err, &c.stderr)
	}
	for _, tool := range list.Tools {
		c.Tools = append(c.Tools, tool.Name)
	}
	return c
}

// Call calls a tool that has one argument. The call must succeed.
func (c *Client) Call(tool, arg string, value any) {
	c.t.Helper()
	if !slices.Contains(c.Tools, tool) {
		c.t.Fatalf("there is no tool %s among %q", tool, c.Tools)
	}
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, map[string]any{arg: value}
	if res, err := c.client.CallTool(c.t.Context(), req); err != nil || res.IsError {
		c.t.Fatalf("%s %v: %v %+v\n%s", tool, value, err, res, &c.stderr)
	}
}

// Ends ends the server, which must exit successfully, and returns its stderr.
func (c *Client) Ends() string {
	c.t.Helper()
	if err := c.client.Close(); err != nil {
		c.t.Errorf("the server ended with %v\n%s", err, &c.stderr)
	}
	return c.stderr.String()
}
