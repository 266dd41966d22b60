package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/internal/demo"
)

// finding is one line of doctor.
type finding struct{ verdict, what, detail string }

const (
	fine    = "ok"
	note    = "note" // true, and worth knowing
	warning = "warn"
	failure = "fail"
)

// target is what doctor looks at.
type target struct {
	data           string
	databaseURL    string
	enclaveSocket  string
	enclaveKey     string
	ceremonyOrigin string
}

// doctor looks, and changes nothing.
func doctor(ctx context.Context, io stdio, args []string) error {
	f := flags(io, "doctor")
	var t target
	f.StringVar(&t.data, "data", "railkit-data", "folder of the installation")
	f.StringVar(&t.databaseURL, "database-url", "", "PostgreSQL instead of the embedded database (RAILKIT_DATABASE_URL)")
	f.StringVar(&t.enclaveSocket, "enclave-socket", "", "Unix socket of the signer (default that of railkit dev)")
	f.StringVar(&t.enclaveKey, "enclave-key", "", "identity key of the signer, pinned (default that of railkit dev)")
	f.StringVar(&t.ceremonyOrigin, "ceremony-origin", "", "origin of the passkey page (default that of railkit dev)")
	if err := parse(f, args); err != nil {
		return err
	}
	t.databaseURL = cmp.Or(t.databaseURL, os.Getenv("RAILKIT_DATABASE_URL")) // no default of the flag, which help would print
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	failed := 0
	for _, found := range examine(ctx, t) {
		fmt.Fprintf(io.out, "%-4s  %-11s %s\n", found.verdict, found.what, found.detail)
		if found.verdict == failure {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of the checks failed", failed)
	}
	return nil
}

func examine(ctx context.Context, t target) []finding {
	all := []finding{checkPrograms(), checkFolder(t.data)}
	all = append(all, checkDatabase(ctx, t)...)
	all = append(all, checkTime())
	facts, err := readFacts(filepath.Join(t.data, "dev.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return append(all, finding{failure, "platform", oneLine(err)})
	}
	if t.enclaveSocket == "" && err == nil {
		t.enclaveSocket, t.enclaveKey = facts.EnclaveSocket, cmp.Or(t.enclaveKey, facts.EnclaveKey)
	}
	if t.ceremonyOrigin == "" && err == nil {
		t.ceremonyOrigin = facts.CeremonyOrigin
	}
	if t.enclaveSocket != "" {
		all = append(all, checkSigner(ctx, t)...)
	}
	all = append(all, checkPage(ctx, t)...)
	if err != nil {
		return append(all, finding{warning, "platform", "railkit dev is not running on this folder: its signer and node are not checked"})
	}
	return append(all, checkNode(ctx, facts))
}

func checkPrograms() finding {
	if _, err := findTools(); err != nil {
		return finding{failure, "programs", oneLine(err)}
	}
	return finding{fine, "programs", "railkit-enclave and railkit-devnet are beside railkit"}
}

func checkFolder(data string) finding {
	st, err := os.Stat(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return finding{warning, "data", "the folder does not exist yet: railkit dev makes it"}
	case err != nil:
		return finding{failure, "data", oneLine(err)}
	case !st.IsDir():
		return finding{failure, "data", "it is not a folder"}
	case unix.Access(data, unix.W_OK) != nil:
		return finding{failure, "data", "the folder cannot be written to"}
	case st.Mode().Perm()&0o077 != 0:
		return finding{warning, "data", fmt.Sprintf("other users may enter the folder (mode %#o): chmod 700", st.Mode().Perm())}
	}
	return finding{fine, "data", "the folder is this user's and can be written to"}
}

// checkTime asks the kernel whether anything keeps its clock right. Stamps,
// challenges and prepared transactions all expire by the clock.
func checkTime() finding {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return finding{warning, "time", "the kernel does not tell whether its clock is kept right"}
	}
	if state == unix.TIME_ERROR || t.Status&unix.STA_UNSYNC != 0 {
		return finding{warning, "time", "the kernel's clock is not synchronized: run a time service"}
	}
	return finding{fine, "time", "the kernel's clock is synchronized"}
}

func checkNode(ctx context.Context, f demo.Facts) finding {
	n, ok := chain.ByChainID(chain.Sandbox, f.ChainID)
	if !ok {
		return finding{failure, "node", "dev.json names a chain that is not in the list"}
	}
	c, err := rpc.Dial(ctx, f.EVMRPCURL, n)
	if err != nil {
		return finding{failure, "node", oneLine(err)}
	}
	defer c.Close()
	id, err := c.ChainID(ctx)
	if errors.Is(err, rpc.ErrWrongNetwork) {
		return finding{failure, "node", oneLine(err)}
	}
	if err != nil {
		return finding{failure, "node", "it does not answer: " + oneLine(err)}
	}
	return finding{fine, "node", fmt.Sprintf("it answers as chain %d (%s)", id, n.Slug)}
}
