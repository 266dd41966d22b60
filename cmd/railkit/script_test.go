package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/cmd/railkit/internal/dev"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/prices"
	"github.com/railkit/railkit/internal/test/enclavetest"
	"github.com/railkit/railkit/internal/test/freeport"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
)

// TestCommand runs the real programs as a person would.
func TestCommand(t *testing.T) {
	bin, err := testbin.Dir()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("BIN", bin)
			e.Setenv("RAILKIT_ADDR", "127.0.0.1:1") // not where somebody's own server may be
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"postgres":   func(ts *testscript.TestScript, _ bool, args []string) { ts.Setenv(args[0], pgtest.New(t)) },
			"takeport":   takePort,
			"freeaddr":   freeAddr,
			"waitsheet":  waitSheet,
			"terminate":  terminate,
			"killchild":  killChild,
			"waitok":     waitOK,
			"waitwell":   waitWell,
			"waitanswer": waitAnswer,
			"waitfor":    waitFor,
			"deep":       deep,
			"mode":       mode,
			"oldsigner":  func(ts *testscript.TestScript, _ bool, args []string) { oldSigner(t, ts, args[0]) },
			"accept":     acceptSigner,
		},
		RequireExplicitExec: true,
	})
}

// takePort listens on a port until the script ends and puts it into a variable.
func takePort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// freeAddr puts an address that nobody listens on into a variable.
func freeAddr(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], freeport.Addr())
}

// waitSheet waits until a price signer has a sheet.
func waitSheet(ts *testscript.TestScript, _ bool, args []string) {
	testwait.Until(ts, "a price sheet", func() bool {
		_, err := app.FetchSheet(context.Background(), args[0])
		return err == nil
	})
}

// terminate sends SIGTERM to what runs in the background.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, c := range ts.BackgroundCmds() {
		if c.ProcessState == nil {
			ts.Check(c.Process.Signal(syscall.SIGTERM))
		}
	}
}

// killChild sends SIGKILL to the named program that a background command started.
func killChild(ts *testscript.TestScript, _ bool, args []string) {
	killed := 0
	for _, c := range ts.BackgroundCmds() {
		for _, pid := range childrenOf(c.Process.Pid) {
			exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
			if filepath.Base(exe) == args[0] {
				ts.Check(syscall.Kill(pid, syscall.SIGKILL))
				killed++
			}
		}
	}
	if killed != 1 {
		ts.Fatalf("%d children are %s", killed, args[0])
	}
}

func childrenOf(parent int) []int {
	var pids []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		raw, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(raw), ") ") // after the program's name: state, parent
		var state string
		var pid, ppid int
		fmt.Sscanf(path, "/proc/%d/stat", &pid)
		if n, _ := fmt.Sscan(rest, &state, &ppid); n == 2 && ppid == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// waitOK waits until doctor has nothing against a part of the platform in data.
func waitOK(ts *testscript.TestScript, _ bool, args []string) {
	well := regexp.MustCompile(`(?m)^ok +` + args[0] + ` `)
	testwait.Until(ts, args[0]+" to be well", func() bool {
		_ = ts.Exec("railkit", "doctor", "--data", ts.MkAbs("data")) // other parts may not be well yet
		return well.MatchString(ts.ReadFile("stdout"))
	})
}

// waitWell waits until doctor has nothing against a platform: on a busy machine its chains take longer to start than
// doctor gives them.
func waitWell(ts *testscript.TestScript, _ bool, args []string) {
	testwait.Until(ts, "doctor to be content", func() bool {
		return ts.Exec("railkit", "doctor", "--data", ts.MkAbs(args[0])) == nil
	})
}

// waitAnswer waits until the server that the facts name answers, on both of its ports.
func waitAnswer(ts *testscript.TestScript, _ bool, args []string) {
	f, err := dev.ReadFacts(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, url := range []string{f.BaseURL + "/v1/", f.CeremonyOrigin + "/"} {
		testwait.Until(ts, "an answer", func() bool {
			res, err := http.Get(url)
			if err != nil {
				return false
			}
			res.Body.Close()
			return res.StatusCode < http.StatusInternalServerError
		})
	}
}

// waitFor waits until a file is there or, negated, until it is gone.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	testwait.Until(ts, args[0], func() bool {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return (err == nil) != neg
	})
}

// deep puts the path of a folder into a variable that is too long for a Unix socket.
func deep(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], filepath.Join(ts.Getenv("WORK"), strings.Repeat("deep/", 25), "data"))
}

// oldSigner puts a signer into a data folder that an earlier program sealed, which listed base alone and no token of
// it.
func oldSigner(t *testing.T, ts *testscript.TestScript, data string) {
	in := func(name string) string { return filepath.Join(ts.MkAbs(data), name) }
	var sandbox struct{ CeremonyAddr string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(in("sandbox.json"))), &sandbox))
	_, port, err := net.SplitHostPort(sandbox.CeremonyAddr)
	ts.Check(err)
	key, err := prices.ReadKey(in("price.key"))
	ts.Check(err)
	ts.Check(os.RemoveAll(in("enclave")))
	base, _ := chain.BySlug(chain.Sandbox, "base")
	base.Tokens = nil
	enclavetest.New(t, enclavetest.Options{
		Dir: in("enclave"), Socket: filepath.Join(t.TempDir(), "s"), SecretFile: in("enclave/unseal.key"),
		PriceKey: wire.CompressP256(&key.PublicKey), Origin: "http://localhost:" + port,
		Networks: []chain.Network{base}, Log: io.Discard,
	}).Stop()
}

// acceptSigner confirms, as an operator does, that the signer in a platform's data is another than the server has seen.
func acceptSigner(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.MkAbs(args[0])
	f, err := dev.ReadFacts(filepath.Join(data, "dev.json"))
	ts.Check(err)
	ts.Check(ts.Exec("railkit", "admin", "signer", "accept", "--data", data, "--reason", "a test put it there",
		"--enclave-socket", f.EnclaveSocket, "--enclave-key", f.EnclaveKey))
}

// mode checks a file's permissions.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	st, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%#o", st.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s", args[1], got)
	}
}
