package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// asking are what opens connections in the standard library, by package.
var asking = map[string][]string{
	"http": {
		"Client", "DefaultClient", "Transport", "DefaultTransport", "Get", "Head", "Post", "PostForm",
	},
	"net": {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "Dialer"},
	"tls": {"Dial", "DialWithDialer", "Dialer"},
}

// Addresses in the agent kit are chosen by strangers: a skill's by whoever registered it, a shop's by whatever made the
// agent go there. Only platform/fetch asks them, since any other client would also ask the operator's own network.
func TestOnlyFetchAsksStrangers(t *testing.T) {
	files := 0
	for _, s := range sources(t) {
		if !strings.HasPrefix(s.path, "kit/agent/") || strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		files++
		ast.Inspect(s.file, func(n ast.Node) bool {
			use, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, _ := use.X.(*ast.Ident); from != nil && slices.Contains(asking[from.Name], use.Sel.Name) {
				t.Errorf("%s uses %s.%s: strangers are asked through platform/fetch", s.path, from.Name, use.Sel.Name)
			}
			return true
		})
	}
	if files == 0 {
		t.Error("no file of the agent kit was looked at")
	}
}
