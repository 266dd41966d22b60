package npmtest

import (
	"encoding/json"
	"errors"
	"io"
	"testing"
)

// MCP is a host of the protocol's makers, as it comes.
type MCP struct{ packages Packages }

// InstallMCP fetches it.
func InstallMCP(t testing.TB) MCP {
	t.Helper()
	return MCP{install(t, "mcp")}
}

// MCPServer is where a host finds a server: a program that it starts, or a URL.
type MCPServer struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Token   string            `json:"token,omitempty"`
}

// MCPTool is a tool as the host lists it.
type MCPTool struct {
	Name, Description         string
	InputSchema, OutputSchema map[string]any
}

// MCPSession is a host that is connected.
type MCPSession struct {
	Server, Instructions string
	Tools                []MCPTool
	call                 *call
}

// MCPResult is what a tool answered.
type MCPResult struct {
	IsError           bool
	StructuredContent map[string]any
	Content           []struct{ Type, Text string }
	Progress          int // notices that came meanwhile
}

// Call calls a tool.
func (s *MCPSession) Call(name string, arguments any) (r MCPResult, err error) {
	err = s.call.write(map[string]any{"name": name, "arguments": arguments})
	if err == nil {
		err = s.call.read(&r)
	}
	return r, err
}

// Connect has the host use a server.
func (m MCP) Connect(to MCPServer, use func(s *MCPSession) error) error {
	return m.packages.run("call.mjs", func(c *call) error {
		s := &MCPSession{call: c}
		if err := errors.Join(c.write(to), c.read(s)); err != nil {
			return err
		}
		err := errors.Join(use(s), c.in.Close())
		rest, failed := io.ReadAll(c.out)
		if len(rest) > 0 {
			failed = errors.New("the host says more than it was asked: " + string(json.RawMessage(rest)))
		}
		return errors.Join(err, failed)
	})
}
