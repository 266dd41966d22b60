package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
)

// world is the real server on a rig, with the real signer and chain: killing it stops both, and starting
// it again opens another port on the same data.
type world struct {
	app    *apptest.App
	server *httptest.Server
	change func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	facts  func(*Facts)
	starts int
	kills  int
	stops  int
}

func (w *world) Start(context.Context) (Facts, error) {
	if w.starts++; w.kills > 0 {
		w.app.StartEnclave()
		w.app.StartServer()
	}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.change == nil || !w.change(rw, r) {
			w.app.Handler.ServeHTTP(rw, r)
		}
	}))
	f := Facts{
		BaseURL: w.server.URL, APIKey: w.app.Keys.APIKey, InternalKey: w.app.Keys.InternalKey,
		AdminKey: w.app.Keys.AdminKey, BenchKey: w.app.Keys.BenchKey, WorkspaceID: w.app.Keys.WorkspaceID,
		EVMRPCURL: w.app.Devnet.RPCURL(network), ChainID: 84532,
		Tokens:     map[string]string{token: apptest.USDC().Address},
		EnclaveKey: w.app.EnclaveKey, RPID: "localhost", CeremonyOrigin: w.app.Origin,
	}
	if w.facts != nil {
		w.facts(&f)
	}
	return f, nil
}

func (w *world) KillAll() error {
	w.kills++
	w.server.CloseClientConnections()
	w.server.Close()
	w.app.StopServer()
	w.app.StopEnclave()
	return nil
}

func (w *world) Stop() error {
	w.stops++
	if w.server != nil {
		w.server.Close()
	}
	return nil
}

func (w *world) Logs() string {
	return strings.Repeat("old line\n", 50) + "enclave | the last line with rk_client_key_v1_secretsecret\n"
}

// banking are the steps that a bank takes part in.
var banking = append(names(slices.Concat((&story{}).payoutSteps(), (&story{}).payInSteps())),
	"The statement adds up, in and out")

// leftOut are the steps that need a partner, or wait: cmd/railkit tells them to real processes.
var leftOut = append(slices.Concat(banking, names((&story{}).shopperSteps()), names((&story{}).tradeSteps()),
	names(slices.Concat(solanaSteps(&story{}))), names(onTron(&story{}).steps())),
	"A policy stops 60 USDC", "22 USDC wait for a second passkey", "A lost passkey is recovered")

// tell runs the story and gives what it printed.
func tell(t *testing.T, w *world) (string, error) {
	t.Helper()
	if w.app == nil {
		w.app = apptest.Rig(t)
	}
	var out bytes.Buffer
	err := Run(t.Context(), Options{
		Out: &out, World: w, Poll: time.Millisecond, Timeout: testwait.Bound, without: leftOut,
	})
	return out.String(), err
}

func TestStoryIsTold(t *testing.T) {
	w := &world{}
	out, err := tell(t, w)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if w.starts != 2 || w.kills != 1 || w.stops != 1 {
		t.Errorf("%d starts, %d kills, %d stops", w.starts, w.kills, w.stops)
	}
	line := regexp.MustCompile(`(?m)^ ([ 1-9][0-9])  \S.* +\d+(\.\d)? (ms|s)$`)
	if got := len(line.FindAllString(out, -1)); got != 20 {
		t.Errorf("%d step lines, want 20:\n%s", got, out)
	}
	for _, l := range strings.Split(out, "\n") {
		if n := len([]rune(l)); n > 80 {
			t.Errorf("a line of %d characters: %s", n, l)
		}
	}
	for _, want := range []string{
		"All 20 steps passed", "the receiver has 25.5 USDC", "all three refused", "same bytes, paid once",
		"3 refusals, then revoked", "unchanged in", "one chain",
		"0.05 USDC a month, active", "payments: 0.03 of 0.05 spent", "agent_killed, 0 can leave",
		"0.1 USDC  from its owner, by passkey, tx 0x", "-0.01 USDC  paid on its own, tx 0x",
		"0.07       in its wallet then",
		"-0.02 USDC  paid, the passkey agreed, tx 0x", "0.03 USDC more: refused, 0.03 spent of the 0.05",
		"bin/railkit dev",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") || strings.Contains(out, w.app.Keys.APIKey) {
		t.Errorf("colours off a terminal, or the whole key:\n%q", out)
	}
}

// matching answers requests of one path in its own way.
func matching(
	suffix string, answer func(http.ResponseWriter, *http.Request) bool,
) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, suffix) && answer(w, r)
	}
}

func TestFailureShowsWhatIsNeeded(t *testing.T) {
	w := &world{change: matching("/accounts/confirm", func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w,
			`{"success":false,"message":"Too late","error":"too_late","statusCode":409,"timestamp":"","path":""}`)
		return true
	})}
	out, err := tell(t, w)
	if err == nil || !strings.Contains(err.Error(), "step 5") || w.stops != 1 {
		t.Fatalf("err = %v, %d stops", err, w.stops)
	}
	for _, want := range []string{
		"failed", "step 5", "POST /v1/signing/wallets/accounts/confirm", `"stampHeaderValue": "[cut, `, "409",
		`"message": "Too late"`, "enclave | the last line with rk_[cut]",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if strings.Contains(out, "secretsecret") || strings.Count(out, "old line") != 39 {
		t.Errorf("a secret, or not 40 lines of the logs:\n%s", out)
	}
}

// The story must not pass where one of its promises does not hold.
func TestBrokenPromises(t *testing.T) {
	okay := func(w http.ResponseWriter, data any) bool {
		_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "message": "", "data": data, "statusCode": 200})
		return true
	}
	for name, c := range map[string]struct {
		world world
		want  string
	}{
		"another enclave key after the restart": {world{}, "step 19"},
		"a wallet that changed":                 {world{}, "history.Items[0].status"},
		"a transaction that fails": {world{change: matching("", func(w http.ResponseWriter, r *http.Request) bool {
			return strings.HasPrefix(r.URL.Path, "/v1/transactions/broadcast/") &&
				okay(w, map[string]any{"status": "failed"})
		})}, "step 8"},
		"a server that takes a tampered stamp": {world{change: matching("/transactions/confirm",
			func(w http.ResponseWriter, r *http.Request) bool {
				raw, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(raw))
				return bytes.Contains(raw, []byte(`\"1000000\"`)) && okay(w, map[string]any{})
			})}, "step 9: a tampered stamp got"},
		"no money from the faucet": {world{change: matching("/faucet",
			func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, "no")
				return true
			})}, "step 6"},
		"production": {world{change: matching("/v1/", func(w http.ResponseWriter, _ *http.Request) bool {
			return okay(w, map[string]any{"status": "ok", "environment": "production"})
		})}, "step 1"},
		"a second payment under one key": {world{change: matching("/faucet",
			func(_ http.ResponseWriter, r *http.Request) bool {
				r.Header.Del("Idempotency-Key")
				return false
			})}, "step 11: the same call"},
		"a module that is on for everybody": {world{change: matching("/v1/integrators",
			func(w http.ResponseWriter, r *http.Request) bool {
				raw, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(raw, []byte("widget"), []byte("signing"), 1)))
				return false
			})}, "step 18: GET /v1/signing/wallets got 200, not 403"},
		"a revoked key that opens still": {world{change: func(w http.ResponseWriter, r *http.Request) bool {
			return r.Method == http.MethodDelete && strings.HasPrefix(r.URL.Path, "/v1/integrators/") && okay(w, nil)
		}}, "step 18: GET /v1/signing/wallets got 200, not 404"},
		"a record with a gap": {world{change: matching("/v1/audit", func(w http.ResponseWriter, _ *http.Request) bool {
			return okay(w, []map[string]any{{"seq": 3, "hash": "c", "previousHash": "b"}, {"seq": 1, "hash": "a"}})
		})}, "step 20: the entry after place 1"},
		"a record without its beginning": {world{change: matching("/v1/audit",
			func(w http.ResponseWriter, _ *http.Request) bool {
				return okay(w, []map[string]any{{"seq": 2, "hash": "b", "previousHash": "a"}})
			})}, "step 20: the record has no beginning"},
		"facts without keys": {world{facts: func(f *Facts) { f.EnclaveKey = "" }}, "starting the platform"},
	} {
		w := c.world
		switch name {
		case "another enclave key after the restart":
			w.facts = func(f *Facts) {
				if w.starts > 1 {
					f.EnclaveKey = "02" + strings.Repeat("1", 64)
				}
			}
		case "a wallet that changed":
			w.change = func(rw http.ResponseWriter, r *http.Request) bool {
				return w.starts > 1 && strings.HasSuffix(r.URL.Path, "/transactions") &&
					okay(rw, []any{map[string]any{"status": "other"}})
			}
		}
		if out, err := tell(t, &w); err == nil || !strings.Contains(out+err.Error(), c.want) {
			t.Errorf("%s: err = %v, want %q\n%s", name, err, c.want, out)
		}
	}
}

func TestStoppedStory(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := &world{app: apptest.Rig(t), change: matching("/faucet", func(http.ResponseWriter, *http.Request) bool {
		cancel()
		return false
	})}
	err := Run(ctx, Options{Out: io.Discard, World: w, Poll: time.Millisecond})
	if !errors.Is(err, context.Canceled) || w.stops != 1 {
		t.Fatalf("err = %v, %d stops", err, w.stops)
	}
}

func TestPresentable(t *testing.T) {
	got := presentable([]byte(`{"apiKey":"abc","stamp":{"stampHeaderValue":"xyz"},"list":[{"note":"use ` +
		`rk_admin_key_v1_abc"}],"long":"` + strings.Repeat("a", 5000) + `"}`))
	for _, secret := range []string{"abc", "xyz", strings.Repeat("a", 2000)} {
		if strings.Contains(got, secret) {
			t.Errorf("%q is shown in\n%s", secret, got)
		}
	}
	if plain := presentable([]byte("no json, rk_x_1")); plain != "no json, rk_[cut]" {
		t.Errorf("plain text became %q", plain)
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{
		"0x71C7656EC7ab88b098defB751B7401B5f6d8976F": "0x71C7…976F",
		"4f6c2a1e-0000-4000-8000-00000000009b":       "4f6c2a1e…009b",
		"short":                                      "short",
	} {
		if got := short(in); got != want {
			t.Errorf("short(%s) = %s, want %s", in, got, want)
		}
	}
	if got := maskKey("rk_client_key_v1_" + strings.Repeat("a", 39) + "wxyz"); strings.Contains(got, "aaaa") ||
		!strings.HasSuffix(got, "wxyz") {
		t.Errorf("maskKey = %s", got)
	}
}
