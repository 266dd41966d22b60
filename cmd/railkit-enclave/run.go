package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/child"
)

type runFlags struct {
	data, socket, unseal string
	peer                 int
	group                int
	acceptTime           bool
	acceptNonces         bool
	acceptPrices         bool
	acceptEnd            bool
	level                *slog.Level // of the log
}

func parseRun(args []string) (runFlags, error) {
	r := runFlags{}
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.StringVar(&r.data, "data", "", "folder of the enclave")
	f.StringVar(&r.socket, "socket", "", "Unix socket to listen on")
	f.StringVar(&r.unseal, "unseal-file", "", "file with the unseal secret, - for standard input")
	f.IntVar(&r.peer, "peer-uid", os.Getuid(), "the only user whose calls are answered")
	f.IntVar(&r.group, "socket-group", -1,
		"group that may enter the socket's folder; needed where --peer-uid is another user")
	f.BoolVar(&r.acceptNonces, "accept-nonces", false,
		"after a restore: believe the node about transactions that the journal does not know")
	f.BoolVar(&r.acceptPrices, "accept-prices", false, "take the newest signed prices as right, however far they moved")
	f.BoolVar(&r.acceptEnd, "accept-journal-end", false,
		"where journal.head is damaged: take the journal's last entry as the last that there was")
	f.BoolVar(&r.acceptTime, "accept-time", false, "take the machine's clock although the journal is old")
	r.level = child.Level(f)
	if err := f.Parse(args); err != nil {
		return r, err
	}
	if f.NArg() > 0 {
		return r, errors.New("run takes no more than flags")
	}
	if r.peer < 0 || int64(r.peer) >= math.MaxUint32 {
		return r, errors.New("--peer-uid is not that of a user")
	}
	if r.data == "" || r.socket == "" || r.unseal == "" {
		return r, errors.New("--data, --socket and --unseal-file are needed")
	}
	return r, nil
}

// facts is what the parent learns once the enclave answers.
type facts struct {
	Socket      string   `json:"socket"`
	IdentityKey string   `json:"identityKey"`
	RPID        string   `json:"rpId"`
	Origins     []string `json:"origins"`
}

func run(args []string) error {
	missing := harden.Apply() // before any secret is in memory
	r, err := parseRun(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := child.WatchParent(ctx)
	defer cancel()
	log := child.NewLog(os.Stderr, *r.level).With("process", "enclave")
	service, err := open(r, missing, log)
	if err != nil {
		return err
	}
	if service.Info().Environment == string(chain.Production) {
		if err := refuseRoot(); err != nil { // before root makes the socket's folder, too
			return errors.Join(err, service.Close())
		}
	}
	l, err := enclave.Listen(r.socket, r.group)
	if err != nil {
		return errors.Join(err, service.Close())
	}
	if err := confine(r, service); err != nil {
		return errors.Join(err, l.Close(), service.Close())
	}
	if err := service.Start(); err != nil { // the journal's first new entry: no refusal comes after it
		return errors.Join(err, l.Close(), service.Close())
	}
	info := service.Info()
	child.LogStart(log, version, "environment", info.Environment, "data", r.data, "entries", info.Seq, "listens",
		r.socket, "peerUid", r.peer)
	if err = child.Ready(factsOf(r.socket, info)); err == nil {
		err = service.Serve(ctx, l, r.peer)
	}
	return child.LogEnd(ctx, log, errors.Join(err, service.Close()))
}

// confine shuts the process in once all that it needs is open, and before
// anybody is answered. In production all of it has to be in force.
func confine(r runFlags, service *enclave.Service) error {
	service.Lacks(harden.Confine(harden.Folders{Data: r.data, Socket: filepath.Dir(r.socket)}))
	info := service.Info()
	if info.Environment == string(chain.Production) && len(info.Hardening) > 0 {
		return fmt.Errorf("refusing to run in production without: %s", strings.Join(info.Hardening, "; "))
	}
	return nil
}

func factsOf(socket string, info wire.InfoReply) facts {
	return facts{Socket: socket, IdentityKey: info.IdentityKey, RPID: info.RPID, Origins: info.Origins}
}

func open(r runFlags, missing []string, log *slog.Logger) (*enclave.Service, error) {
	secret, err := readSecret(r.unseal)
	if err != nil {
		return nil, err
	}
	sealer, err := keystore.ParseSecret(secret)
	clear(secret)
	if err != nil {
		return nil, err
	}
	return enclave.Unseal(enclave.Options{
		Dir: r.data, Sealer: sealer, AcceptTime: r.acceptTime, AcceptNonces: r.acceptNonces,
		AcceptPrices: r.acceptPrices, AcceptEnd: r.acceptEnd, Version: version, Build: build(), Hardening: missing,
		Log: log,
	})
}

// build names this very program. Whoever builds without git, or before a commit,
// has one version for programs that differ. Empty where it may not be read.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return version + " " + hex.EncodeToString(h.Sum(nil))
}
