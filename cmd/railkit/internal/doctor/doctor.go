// Package doctor is railkit doctor: it looks at what an installation needs, one line
// each, and changes nothing.
//
// Read doctor.go first: it has the list of checks. Each other file is the checks of
// one part of an installation.
package doctor

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/cmd/railkit/internal/dev"
	"github.com/railkit/railkit/internal/config"
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

// target is what doctor looks at: an installation as its settings name it.
type target struct {
	config.Loaded
	version string      // of this program
	dev     *demo.Facts // of the railkit dev that runs on the data folder, if one does
	kernel  kernel
}

// kernel is what only the machine can tell, and a test cannot break.
type kernel struct {
	adjtimex func(*unix.Timex) (int, error)
	statfs   func(string, *unix.Statfs_t) error
}

// patience is how long all checks may take together, and dial one connection.
const (
	patience = 30 * time.Second
	dial     = 5 * time.Second
)

// Run looks, and changes nothing.
func Run(ctx context.Context, env cli.Env, args []string) error {
	l, err := cli.Settings(cli.Flags(env, "doctor"), args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t, found := examine(ctx, env.Version, l)
	for _, line := range t.Lines() {
		fmt.Fprintf(env.Out, "%-28s %-11s %s\n", line.Name, line.From, line.Value)
	}
	fmt.Fprintln(env.Out)
	failed := 0
	for _, f := range found {
		fmt.Fprintf(env.Out, "%-4s  %-11s %s\n", f.verdict, f.what, f.detail)
		if f.verdict == failure {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of the checks failed", failed)
	}
	return nil
}

// checks are all, in the order in which they are printed.
var checks = []func(context.Context, target) []finding{
	checkConfig, checkPrograms, checkFolder, checkDisk, checkDatabase, checkTime, checkRedis, checkMail,
	checkSessionKey, checkVaultKey, checkSigner, checkPriceSigner, checkPartner, checkScreening, checkPage,
	checkDashboard, checkServer, checkNodes, checkDev,
}

// examine runs all checks on what the settings name, or a running railkit dev
// where they name nothing.
func examine(ctx context.Context, version string, l config.Loaded) (target, []finding) {
	t := target{Loaded: l, version: version, kernel: kernel{unix.Adjtimex, unix.Statfs}}
	var err error
	if t.dev, err = dev.Learn(&t.Loaded); err != nil {
		return t, []finding{{failure, "platform", cli.OneLine(err)}}
	}
	var all []finding
	for _, check := range checks {
		all = append(all, check(ctx, t)...)
	}
	return t, all
}

// checkConfig looks at the settings alone, as a server does before it opens anything.
func checkConfig(_ context.Context, t target) []finding {
	var all []finding
	for _, w := range t.Warnings {
		all = append(all, finding{warning, "config", w})
	}
	if err := t.Check(); err != nil {
		return append(all, finding{failure, "config", cli.OneLine(err)})
	}
	return append(all, finding{fine, "config", "the settings fit each other and the environment, " + t.Environment})
}

func checkDev(_ context.Context, t target) []finding {
	if t.dev == nil && t.EnclaveSocket == "" {
		return []finding{{warning, "platform",
			"railkit dev is not running on this folder, and no setting names a signer: it is not checked"}}
	}
	return nil
}
