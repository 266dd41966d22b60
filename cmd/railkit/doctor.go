package main

import (
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
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/internal/demo"
	"github.com/railkit/railkit/store/sqlite"
)

// finding is one line of doctor.
type finding struct{ verdict, what, detail string }

const (
	fine    = "ok"
	warning = "warn"
	failure = "fail"
)

// doctor looks, and changes nothing.
func doctor(ctx context.Context, io stdio, args []string) error {
	f := flags(io, "doctor")
	data := f.String("data", "railkit-data", "folder of the installation")
	if err := parse(f, args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	failed := 0
	for _, found := range examine(ctx, *data) {
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

func examine(ctx context.Context, data string) []finding {
	all := []finding{checkPrograms(), checkFolder(data), checkDatabase(ctx, data), checkTime()}
	facts, err := readFacts(filepath.Join(data, "dev.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return append(all, finding{warning, "platform", "railkit dev is not running on this folder: signer and node are not checked"})
	}
	if err != nil {
		return append(all, finding{failure, "platform", oneLine(err)})
	}
	all = append(all, checkEnclave(ctx, facts)...)
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

func checkDatabase(ctx context.Context, data string) finding {
	path := filepath.Join(data, "railkit.db")
	if _, err := os.Stat(path); err != nil {
		return finding{warning, "database", "there is none yet: the server makes it as it starts"}
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return finding{failure, "database", oneLine(err)}
	}
	defer db.Close()
	var result string
	if err := db.Reader.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return finding{failure, "database", oneLine(err)}
	}
	if result != "ok" {
		return finding{failure, "database", "the file is damaged: " + result}
	}
	return finding{fine, "database", "it opens and its pages are whole"}
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

func checkEnclave(ctx context.Context, f demo.Facts) []finding {
	c := client.New(f.EnclaveSocket, f.EnclaveKey)
	defer c.Close()
	info, err := c.Info(ctx)
	if err != nil {
		return []finding{{failure, "signer", "it does not answer: " + oneLine(err)}}
	}
	all := []finding{{fine, "signer", fmt.Sprintf("it answers under the pinned key (%s, platform %s, entry %s)",
		info.Environment, info.Platform, info.Seq)}}
	for _, missing := range info.Hardening {
		all = append(all, finding{warning, "hardening", missing})
	}
	if len(info.Hardening) == 0 {
		all = append(all, finding{fine, "hardening", "all that the signer asks of the kernel is in force"})
	}
	return all
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
	if err != nil {
		return finding{failure, "node", "it does not answer: " + oneLine(err)}
	}
	return finding{fine, "node", fmt.Sprintf("it answers as chain %d (%s)", id, n.Slug)}
}
