package docs

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/archtest"
)

// A box of the picture: the packages that a reader takes for one thing. A pattern that ends in /... is a folder and all
// below it; where two boxes have a package, the longer pattern has it.
type box struct {
	id, title, says string
	packages        []string
}

// The rows of the picture, from the top down.
var rows = []struct {
	title string
	boxes []box
}{
	{"Programs", []box{
		{"cli", "cmd/railkit", "the server's program: dev, serve, admin, doctor", []string{"cmd/railkit/..."}},
		{"app", "internal/app", "puts the server together", []string{"internal/app"}},
		{"tools", "internal", "config, supervise, demo, mail sink, models' server", []string{
			"internal/config", "internal/supervise", "internal/demo", "internal/trigger", "internal/mailsink",
			"internal/mcpserver",
		}},
	}},
	{"Edges", []box{
		{"metrics", "internal/metrics", "what monitoring reads (Prometheus)", []string{"internal/metrics"}},
		{"api", "api", "HTTP operations and their guards", []string{"api/..."}},
		{"web", "web", "dashboard, passkey page, invite page, gallery of widgets", []string{
			"web/...", "chain/page", "chain/solana/page", "chain/tron/page",
		}},
		{"queue", "job/queue", "runs jobs (River)", []string{"job/queue"}},
		{"sdk", "sdk/go", "the client that verifies", []string{"sdk/go/..."}},
		{"component", "sdk/widget", "the web component", []string{"sdk/widget"}},
	}},
	{"Adapters", []box{
		{"store", "store", "tables, queries, transactions", []string{"store/..."}},
		{"engines", "store/sqlite, store/postgres", "the two engines", []string{"store/sqlite", "store/postgres"}},
		{"node", "chain/evm/rpc, chain/solana/rpc, chain/tron/rpc", "clients of nodes", []string{
			"chain/evm/rpc", "chain/solana/rpc", "chain/tron/rpc",
		}},
		{"bridge", "fiat/bridge", "client of the partner", []string{"fiat/bridge"}},
	}},
	{"Kits", []box{
		{"signing", "kit/signing", "wallets, their rules, and what they sign", []string{"kit/signing/..."}},
		{"payout", "kit/payout", "recipients, quotes, orders, ledger", []string{"kit/payout/..."}},
		{"agent", "kit/agent", "agents, what they pay and buy, skills", []string{"kit/agent/..."}},
		{"trade", "kit/trade", "swaps and lending", []string{"kit/trade/..."}},
		{"widget", "kit/widget", "what widgets show and do", []string{"kit/widget/..."}},
	}},
	{"Ports and platform", []box{
		{"platform", "platform", "callers, limits, once, audit, watcher, strangers", []string{"platform/..."}},
		{"job", "job", "what a job is", []string{"job"}},
		{"client", "enclave/client", "client of the signer", []string{"enclave/client"}},
		{"fiat", "fiat", "the partner's port, bank numbers, banking days", []string{
			"fiat", "fiat/bank", "fiat/calendar", "fiat/sandbox/control",
		}},
	}},
	{"Shared and pure", []box{
		{"rest", "rest", "bodies that server and clients share", []string{"rest"}},
		{"wire", "enclave/wire, enclave/frame", "what server and signer say",
			[]string{"enclave/wire", "enclave/frame"}},
		{"x402", "x402", "payments within a request: protocol, facilitator's rules, shop", []string{"x402/..."}},
		{"chain", "chain, chain/evm, chain/node", "networks, transactions, prices of exchanges", []string{
			"chain", "chain/families", "chain/evm", "chain/evm/aave", "chain/evm/router", "chain/evm/signed",
			"chain/solana", "chain/solana/ledger", "chain/solana/follow", "chain/tron", "chain/exchange", "chain/node",
		}},
	}},
	{"Other programs", []box{
		{"enclave", "enclave, cmd/railkit-enclave", "the signer", []string{"enclave/...", "cmd/railkit-enclave"}},
		{"prices", "cmd/railkit-prices", "the price signer", []string{"cmd/railkit-prices", "internal/prices"}},
		{"facilitator", "cmd/railkit-facilitator, internal/shops", "settles payments; the sandbox's shops", []string{
			"cmd/railkit-facilitator", "internal/facilitator", "internal/shops",
		}},
		{"partner", "cmd/railkit-partner, fiat/sandbox", "the sandbox's partner", []string{
			"cmd/railkit-partner", "fiat/sandbox/...",
		}},
		{"devnet", "cmd/railkit-devnet, chain/devnet, chain/solana/localnet", "the sandbox's chains", []string{
			"cmd/railkit-devnet", "chain/devnet/...", "internal/fastlz", "chain/solana/localnet",
			"chain/tron/localnet",
		}},
	}},
}

// leaves import nothing of this module, and nearly everything imports them.
var leaves = []string{"money", "fault", "clock", "text", "requestid", "crash", "internal/child/...", "internal/keyfile"}

// undrawn are tests, their harnesses and this folder.
var undrawn = []string{
	"internal/test/...", "docs", "chain/chaintest", "store/storetest/...", "fiat/fiattest",
	"platform/ratelimit/limittest",
}

const (
	pictureBegins = "<!-- generated from the imports by go generate ./docs: begin -->\n"
	pictureEnds   = "<!-- end -->\n"
)

// The picture in architecture.md is that of the imports, and no two boxes import each other, however indirectly.
func TestGeneratedArchitecture(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), pictureBegins)
	old, after, closed := strings.Cut(rest, pictureEnds)
	if !found || !closed {
		t.Fatal("architecture.md has no place for the picture of the imports")
	}
	now := picture(boxImports(t))
	if *update {
		whole := before + pictureBegins + now + pictureEnds + after
		if err := os.WriteFile("architecture.md", []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if old != now {
		t.Error("the picture in architecture.md is not that of the imports; run go generate ./docs")
	}
}

type imports map[string]map[string]bool // by the id of a box

// boxImports are the boxes that each box imports.
func boxImports(t *testing.T) imports {
	t.Helper()
	g, err := archtest.Load("..")
	if err != nil {
		t.Fatal(err)
	}
	all := imports{}
	for _, from := range slices.Sorted(maps.Keys(g)) {
		box, drawn := boxOf(t, from)
		for _, imported := range g[from] {
			if to, ok := boxOf(t, imported); drawn && ok && to != box {
				if all[box] == nil {
					all[box] = map[string]bool{}
				}
				all[box][to] = true
			}
		}
	}
	for box := range all {
		if all.reach(box)[box] {
			t.Errorf("%s imports itself by way of other boxes", box)
		}
	}
	return all
}

// boxOf is the box of a package. Leaves, tests and other modules have none.
func boxOf(t *testing.T, path string) (id string, drawn bool) {
	t.Helper()
	path, ours := strings.CutPrefix(path, archtest.Module+"/")
	if !ours {
		return "", false
	}
	longest := max(fits(leaves, path), fits(undrawn, path))
	known := longest > 0
	for _, row := range rows {
		for _, b := range row.boxes {
			if n := fits(b.packages, path); n > longest {
				longest, id, known = n, b.id, true
			}
		}
	}
	if !known {
		t.Errorf("%s is in no box of the picture: add it to docs/architecture_test.go", path)
	}
	return id, id != ""
}

// fits is the length of the longest pattern that a package fits, or 0.
func fits(patterns []string, path string) (longest int) {
	for _, pattern := range patterns {
		folder, tree := strings.CutSuffix(pattern, "/...")
		if path == folder || tree && strings.HasPrefix(path, folder+"/") {
			longest = max(longest, len(folder))
		}
	}
	return longest
}

// reach is all that a box imports, directly or not.
func (i imports) reach(from string) map[string]bool {
	seen := map[string]bool{}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for to := range i[queue[0]] {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return seen
}

// picture draws the boxes and an arrow for each import that no longer way of arrows shows.
func picture(all imports) string {
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TB\n")
	var ids []string
	for i, row := range rows {
		fmt.Fprintf(&b, "    subgraph row%d[\"%s\"]\n", i, row.title)
		for _, box := range row.boxes {
			fmt.Fprintf(&b, "        %s[\"%s<br/>%s\"]\n", box.id, box.title, box.says)
			ids = append(ids, box.id)
		}
		b.WriteString("    end\n")
	}
	for _, from := range ids {
		if to := all.shortest(from); len(to) > 0 {
			fmt.Fprintf(&b, "    %s --> %s\n", from, strings.Join(to, " & "))
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// shortest are the imports of a box that none of its other imports leads to.
func (i imports) shortest(from string) (direct []string) {
	for _, to := range slices.Sorted(maps.Keys(i[from])) {
		led := false
		for by := range i[from] {
			led = led || by != to && i.reach(by)[to]
		}
		if !led {
			direct = append(direct, to)
		}
	}
	return direct
}
