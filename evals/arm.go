package evals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/fcp-host/fcp-host/evals/model"
)

// Arm is what a model has for its work in one run.
type Arm interface {
	// Instructions is what the model is told about the tools beside their descriptions.
	Instructions() string
	Tools() []model.Tool
	// Call calls a tool, which exists, with a JSON object. The error means that the run cannot continue.
	Call(ctx context.Context, name string, arguments json.RawMessage) (model.Result, error)
	Close() error
}

// server is the tools of an MCP server, which runs in the scratch folder.
type server struct {
	client       *client.Client
	instructions string
	tools        []model.Tool
}

const maxCallTime = 5 * time.Minute

// startServer starts an MCP server in a folder. It does not get keys of APIs from the environment.
func startServer(ctx context.Context, dir string, argv []string, stderr io.Writer) (Arm, error) {
	keyless := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.Contains(strings.SplitN(v, "=", 2)[0], "API_KEY") })
	c, err := client.NewStdioMCPClientWithOptions(argv[0], nil, argv[1:], transport.WithCommandStderrWriter(stderr),
		transport.WithCommandFunc(func(ctx context.Context, command string, _, args []string) (*exec.Cmd, error) {
			cmd := exec.CommandContext(ctx, command, args...)
			cmd.Dir, cmd.Env = dir, keyless
			return cmd, nil
		}))
	if err != nil {
		return nil, err
	}
	s := &server{client: c}
	if err := s.initialize(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return s, nil
}

func (s *server) initialize(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, maxCallTime)
	defer cancel()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "fcp-eval", Version: "1"}
	info, err := s.client.Initialize(ctx, hello)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	s.instructions = info.Instructions
	list, err := s.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return fmt.Errorf("tools/list: %w", err)
	}
	for _, t := range list.Tools {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return err
		}
		s.tools = append(s.tools, model.Tool{Name: t.Name, Description: t.Description, Schema: schema})
	}
	return nil
}

func (s *server) Instructions() string { return s.instructions }

func (s *server) Tools() []model.Tool { return s.tools }

// Call implements Arm. A JSON-RPC error is a failed call.
func (s *server) Call(ctx context.Context, name string, arguments json.RawMessage) (out model.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxCallTime)
	defer cancel()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, arguments
	res, err := s.client.CallTool(ctx, req)
	if lost := (*transport.Error)(nil); errors.As(err, &lost) {
		return out, err
	}
	if err != nil {
		return model.Result{Text: err.Error(), Error: true}, nil
	}
	var texts []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case mcp.TextContent:
			texts = append(texts, c.Text)
		case mcp.ImageContent:
			out.Images = append(out.Images, model.Image{Type: c.MIMEType, Data: c.Data})
		default: // a link or a resource
			data, err := json.Marshal(c)
			if err != nil {
				return out, err
			}
			texts = append(texts, string(data))
		}
	}
	out.Text, out.Error = strings.Join(texts, "\n"), res.IsError
	return out, nil
}

func (s *server) Close() error { return s.client.Close() }
