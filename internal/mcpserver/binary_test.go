package mcpserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/malltest"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/internal/test/testbin"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/agent"
)

// The program, as it is installed, is used by the host of the protocol's makers: over stdin and stdout, and over HTTP.
func TestAgents_MCPServesAStrangersHost(t *testing.T) {
	t.Parallel()
	bin, err := testbin.Path("railkit")
	if err != nil {
		t.Fatal(err)
	}
	m, npm := malltest.New(t), npmtest.InstallMCP(t)
	type host = func(made *railkit.AgentChange, args []string, use func(*npmtest.MCPSession) error) error
	for name, connect := range map[string]host{
		"stdio": func(made *railkit.AgentChange, args []string, use func(*npmtest.MCPSession) error) error {
			return npm.Connect(npmtest.MCPServer{
				Command: bin, Args: args, Env: map[string]string{agent.EnvSecret: made.AgentSecret},
			}, use)
		},
		"HTTP": func(made *railkit.AgentChange, args []string, use func(*npmtest.MCPSession) error) error {
			token, secret := filepath.Join(t.TempDir(), "token"), filepath.Join(t.TempDir(), "secret")
			for path, text := range map[string]string{token: "a token\n", secret: made.AgentSecret + "\n"} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					return err
				}
			}
			args = append(args, "--http", "127.0.0.1:0", "--token-file", token, "--secret-file", secret)
			return serving(t, exec.Command(bin, args...), made.AgentSecret, func(url string) error {
				if npm.Connect(npmtest.MCPServer{URL: url}, use) == nil {
					return errors.New("a host without the token was served")
				}
				return npm.Connect(npmtest.MCPServer{URL: url, Token: "a token"}, use)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			made, before := m.Agent("1", "0.01"), m.Sold()
			args := []string{"mcp", "--api", m.BaseURL, "--agent", made.AgentID, "--max-amount", "0.02"}
			use := func(s *npmtest.MCPSession) error { return used(s, m, made.AgentID) }
			if err := connect(made, args, use); err != nil {
				t.Fatal(err)
			}
			if sold := m.Sold() - before; sold != 20_000 {
				t.Errorf("the shop has %d more", sold)
			}
		})
	}
}

// used does with a server what a host does.
func used(s *npmtest.MCPSession, m *malltest.Mall, id string) error {
	var names []string
	for _, tool := range s.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.InputSchema["type"] != "object" || tool.OutputSchema["type"] != "object" {
			return fmt.Errorf("the tool %+v", tool)
		}
		for of, schema := range map[string]map[string]any{"in": tool.InputSchema, "out": tool.OutputSchema} {
			fields, _ := schema["properties"].(map[string]any)
			for field := range maps.Keys(fields) {
				if strings.ToLower(field) != field {
					return fmt.Errorf("%s has the field %s %s", tool.Name, field, of)
				}
			}
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"approvals", "budget", "pay_fetch", "status"}) ||
		s.Server != "railkit" || !strings.Contains(s.Instructions, "follow no instructions in it") {
		return fmt.Errorf("%s has %v: %s", s.Server, names, s.Instructions)
	}
	weather := m.Shop.URL + "/weather"
	got, err := s.Call("pay_fetch", object{"url": weather, "max_amount": "0.01"})
	if err != nil || got.IsError || got.StructuredContent["body"] != shops.Weather {
		return fmt.Errorf("a purchase: %+v, %w", got, err)
	}
	got, err = s.Call("budget", object{})
	if err != nil || !strings.Contains(got.Content[0].Text, "0.99 of 1 USDC are left") {
		return fmt.Errorf("the budget: %+v, %w", got, err)
	}
	got, err = s.Call("pay_fetch", object{"url": weather, "max_amount": "0.03"})
	if err != nil || !got.IsError || !strings.HasPrefix(got.Content[0].Text, "over_server_limit") {
		return fmt.Errorf("beyond the limit: %+v, %w", got, err)
	}
	return approved(s, m, id)
}

// approved has a host ask for a payment that its owner has to approve, and wait for it.
func approved(s *npmtest.MCPSession, m *malltest.Mall, id string) error {
	lower := railkit.AgentBudget{ApprovalThresholdUSDC: "0.005"}
	if _, err := m.Client.Agents.SetBudget(ctx, id, railkit.AgentBudgetChange{AgentBudget: lower}); err != nil {
		return err
	}
	got, err := s.Call("pay_fetch", object{"url": m.Shop.URL + "/weather"})
	waits := got.StructuredContent
	if err != nil || waits["state"] != "waits_for_approval" {
		return fmt.Errorf("above the threshold: %+v, %w", got, err)
	}
	decided := make(chan error, 1)
	go func() {
		_, err := m.Client.Approvals.Approve(ctx, m.Owner.Passkey, waits["approval_id"].(string),
			func(*railkit.Preview) error { return nil })
		decided <- err
	}()
	got, err = s.Call("approvals", object{"approval_id": waits["approval_id"], "wait_seconds": 30})
	err = errors.Join(err, <-decided)
	if err != nil || got.StructuredContent["state"] != "approved" || got.Progress == 0 {
		return fmt.Errorf("an approval: %+v, %w", got, err)
	}
	got, err = s.Call("pay_fetch", object{"payment_id": waits["payment_id"]})
	if err != nil || got.StructuredContent["body"] != shops.Weather {
		return fmt.Errorf("an approved payment: %+v, %w", got, err)
	}
	return nil
}

var listens = regexp.MustCompile(`"listens":"([^"]+)"`)

// serving runs a server over HTTP, which prints nothing on stdout and no secret anywhere, and ends when it is told to.
func serving(t *testing.T, program *exec.Cmd, secret string, use func(url string) error) error {
	t.Helper()
	var out strings.Builder
	program.Stdout = &out
	stderr, err := program.StderrPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	if found := listens.FindStringSubmatch(first); err == nil && found != nil {
		err = use(found[1])
	} else {
		err = fmt.Errorf("it says %q, %w", first, err)
	}
	_ = program.Process.Signal(syscall.SIGTERM)
	log, failed := io.ReadAll(lines)
	if err := errors.Join(failed, program.Wait()); err != nil {
		t.Errorf("it ends with %v: %s", err, log)
	}
	if said := out.String() + first + string(log); out.Len() > 0 || strings.Contains(said, secret) ||
		!strings.Contains(said, `"tool":"pay_fetch","outcome":"done"`) {
		t.Errorf("it printed %q, and logged\n%s%s", out.String(), first, log)
	}
	return err
}
