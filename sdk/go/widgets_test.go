package railkit_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
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
	doc, err := os.ReadFile("../../docs/widgets.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, _, _ := strings.Cut(strings.Split(string(doc), "```sh\n")[1], "```")
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.APIKey, "ADDRESS="+ana)
	out, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(answers) != 3 {
		t.Fatalf("%s", out)
	}
	for _, text := range answers {
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
