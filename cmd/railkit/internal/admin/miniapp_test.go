package admin

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
)

const tipJar = `{"url":"https://app.example/tip","icon":"https://app.example/tip.png","title":"Tip jar",
 "description":"A tip of any size","actions":[{"type":"transfer","label":"Tip","chains":{"source":"fuji"},
 "to":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}]}`

// The operator lists a mini app, looks at it and switches it off; what is wrong is named by its flag.
func TestWidget_AdminMiniApps(t *testing.T) {
	good, bad := filepath.Join(t.TempDir(), "good"), filepath.Join(t.TempDir(), "bad")
	for path, text := range map[string]string{
		good: tipJar, bad: strings.Replace(tipJar, "https://app.example/tip\"", "javascript:x\"", 1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for engine, r := range records(t) {
		t.Run(engine, func(t *testing.T) {
			do := func(command func(context.Context, cli.Env, []string) error, args ...string) (string, error) {
				var out bytes.Buffer
				args = append(append(args, "--environment", "sandbox"), r.flags...)
				err := command(t.Context(), cli.Env{Out: &out, Err: &out}, args)
				return out.String(), err
			}
			add := func(metadata string, more ...string) (string, error) {
				return do(addMiniApp, append([]string{
					"--metadata", metadata, "--operator", "Ana", "--type", "Tips", "--chain", "fuji",
					"--wallet", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
				}, more...)...)
			}
			if out, err := do(listMiniApps); err != nil || !strings.Contains(out, "none") {
				t.Errorf("%s, %v", out, err)
			}
			id, err := add(good)
			if err != nil {
				t.Fatal(err)
			}
			id = strings.TrimSpace(id)
			for want, args := range map[string][]string{
				"--type: must be one of Swap, Stake":      {"--type", "Casino"},
				"--chain: is not a network":               {"--chain", "43114"},
				"--destination: is not a network":         {"--destination", "mars"},
				"--wallet: must be an address":            {"--wallet", "0x1"},
				"--contract: must be an address":          {"--contract", "0x1"},
				"--operator: must be 1 to 100 characters": {"--operator", " "},
				"--metadata: url must":                    {"--metadata", bad},
				"--metadata: must be given":               {"--metadata", ""},
			} {
				if out, err := add(good, args...); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %s, %v", want, out, err)
				}
			}
			_, err = do(disableMiniApp, "--miniapp", id)
			if err == nil || !strings.Contains(err.Error(), "--reason: must") {
				t.Errorf("without a reason: %v", err)
			}
			_, err = do(disableMiniApp, "--miniapp", "7d1f0c7e-1111-4222-8333-944455556666", "--reason", "x")
			if err == nil || !strings.Contains(err.Error(), "--miniapp: there is none") {
				t.Errorf("an unknown one: %v", err)
			}
			out, err := do(listMiniApps)
			if err != nil || strings.Count(out, id) != 1 || !strings.Contains(out, "true") {
				t.Errorf("%s, %v", out, err)
			}
			if _, err := do(disableMiniApp, "--miniapp", id, "--reason", "a complaint"); err != nil {
				t.Error(err)
			}
			if out, err := do(listMiniApps); err != nil || !strings.Contains(out, "false") {
				t.Errorf("%s, %v", out, err)
			}
			if _, err := do(enableMiniApp, "--miniapp", id, "--reason", "settled"); err != nil {
				t.Error(err)
			}
		})
	}
}
