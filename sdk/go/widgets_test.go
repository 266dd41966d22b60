package railkit_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A builder's metadata are in data and at top level, and what is wrong is named. The lines of docs/widgets.md work.
func TestWidget_BuildersOverHTTP(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	ana := "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	w := railkit.CrosschainWidget{
		Title: "Pay Ana", Description: "On Base", URL: "https://app.example.com/ana",
		FromChain: "fuji", DestinationChainID: 84532, Address: ana, Amount: "0.5",
	}
	raw, err := c.Widgets.CrosschainBridge(t.Context(), w)
	if err != nil || !strings.Contains(string(raw), `"chains":{"source":"fuji","destination":"base-sepolia"}`) ||
		!strings.Contains(string(raw), `"amount":0.5`) {
		t.Errorf("%s, %v", raw, err)
	}
	w.URL = "javascript:alert(1)"
	if _, err = c.Widgets.CrosschainTransfer(t.Context(), w); !errors.As(err, new(*railkit.Error)) ||
		!strings.Contains(err.Error(), "url must") {
		t.Errorf("a script for a URL: %v", err)
	}
	for _, text := range pasted(t, 1, "API="+a.BaseURL, "KEY="+a.Keys.APIKey, "ADDRESS="+ana) {
		var answer struct {
			Success  bool
			Metadata json.RawMessage
			Data     struct{ Metadata json.RawMessage }
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || !answer.Success ||
			string(answer.Metadata) != string(answer.Data.Metadata) || len(answer.Metadata) == 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// pasted are the answers to the lines of a block of docs/widgets.md.
func pasted(t *testing.T, block int, env ...string) []string {
	t.Helper()
	return pastedOf(t, "widgets", block, env...)
}

// pastedOf are the answers to the lines of a block of a page, each of which is one line.
func pastedOf(t *testing.T, page string, block int, env ...string) []string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/" + page + ".md")
	if err != nil {
		t.Fatal(err)
	}
	lines, _, _ := strings.Cut(strings.Split(string(doc), "```sh\n")[block], "```")
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Env = append(os.Environ(), env...)
	out, err := script.Output()
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(answers) != strings.Count(lines, "curl") {
		t.Fatalf("%v\n%s", err, out)
	}
	return answers
}

// A mini app that the operator lists is read by anybody, from any page, and its metadata are gone once it is switched
// off, which the directory says.
func TestWidget_MiniApps(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	if page, err := c.Widgets.Directory(t.Context(), railkit.ListOptions{}); err != nil || len(page.Items) != 0 {
		t.Errorf("before any: %+v, %v", page, err)
	}
	list := miniapp.New(a.Store.Widgets(), chain.Sandbox, clock.System{})
	order := &command.Command{
		Principal: auth.Principal{Kind: auth.Kind(audit.Operator), ID: "ops"}, Operation: "admin miniapp add",
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
	var ids []string
	for _, title := range []string{"Tip jar", "Second"} {
		answer, err := list.Add(t.Context(), order, miniapp.Listing{
			Metadata: []byte(`{"url":"https://app.example/tip","icon":"https://app.example/tip.png","title":"` + title + `",
				"description":"A tip","actions":[{"type":"transfer","label":"Tip","chains":{"source":"fuji"},
				"to":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","amount":0.5}]}`),
			Operator: "Ana Apps", Type: "Tips", Wallet: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", Chain: "fuji",
		})
		if err != nil {
			t.Fatal(err)
		}
		var made struct{ ID string }
		if err := json.Unmarshal(answer.Body, &made); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, made.ID)
	}
	page, err := c.Widgets.Directory(t.Context(), railkit.ListOptions{Limit: 1})
	if err != nil || page.Meta.Total != 2 || page.Items[0].Name != "Second" || page.Items[0].Host != "app.example" ||
		page.Items[0].SecurityState != "trusted" {
		t.Errorf("%+v, %v", page, err)
	}
	m, err := c.Widgets.MiniApp(t.Context(), strings.ToUpper(ids[0]))
	if err != nil || m.ID != ids[0] || m.BlockchainNetwork != 43113 || m.ContractAddress != nil || !*m.IsActive ||
		*m.Source != "curated" {
		t.Errorf("%+v, %v", m, err)
	}
	raw, err := c.Widgets.Metadata(t.Context(), ids[0])
	if err != nil || !strings.Contains(string(raw), `"amount":0.5`) {
		t.Errorf("%s, %v", raw, err)
	}
	tokens, err := c.Widgets.Tokens(t.Context(), "fuji", "usdc")
	if err != nil || len(tokens) != 1 || tokens[0].ChainID != 43113 || tokens[0].LogoURI != nil {
		t.Errorf("%+v, %v", tokens, err)
	}
	for i, answer := range pasted(t, 3, "API="+a.BaseURL) {
		if n := strings.Count(answer, `"symbol":"USDC"`); n != []int{1, 1, 1}[i] {
			t.Errorf("line %d: %s", i, answer)
		}
	}
	if _, err := list.Switch(t.Context(), order, ids[0], false, "a complaint"); err != nil {
		t.Fatal(err)
	}
	if raw, err := c.Widgets.Metadata(t.Context(), ids[0]); !errors.As(err, new(*railkit.Error)) {
		t.Errorf("of one that was switched off: %s, %v", raw, err)
	}
	if m, err := c.Widgets.MiniApp(t.Context(), ids[0]); err != nil || *m.IsActive {
		t.Errorf("%+v, %v", m, err)
	}
	page, err = c.Widgets.Directory(t.Context(), railkit.ListOptions{Page: 2, Limit: 1})
	if err != nil || len(page.Items) != 1 || page.Items[0].SecurityState != "denied" {
		t.Errorf("%+v, %v", page, err)
	}
	for i, answer := range pasted(t, 2, "API="+a.BaseURL, "MINIAPP="+ids[1]) {
		if !strings.Contains(answer, []string{`"total":2`, `"is_active":true`, `"title":"Second"`}[i]) {
			t.Errorf("line %d: %s", i, answer)
		}
	}
	for path, open := range map[string]bool{
		"/v1/action/tokens/base/usdc": true, "/v1/action/directory": true,
		"/v1/action/" + ids[1]: true, "/v1/action/" + ids[1] + "/metadata": true,
		"/v1/action/skills": false, "/v1/action/" + ids[1] + "/other": false, "/v1/": false,
	} {
		got := a.Do("", "GET", path, "")
		if origin := got.Header.Get("Access-Control-Allow-Origin"); (origin == "*") != open ||
			got.Header.Get("Access-Control-Allow-Credentials") != "" || open != (got.Status == 200) && path != "/v1/" {
			t.Errorf("%s: %d, %q", path, got.Status, origin)
		}
	}
}
