package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/enclave/keystore"
)

// resealed is what an operator has to know once the folder opens with another secret.
const resealed = `done: the folder opens with the new secret, and not with the old one. What is left to do:
1. Start the signer with the new secret, and keep a copy of it where the old one's was.
2. Backups that were made before open with the old secret only. Put the new genesis.age in the place of theirs: it belongs
   to each copy of this signer's journal.
3. Then destroy the old secret, and each old genesis.age. Where one of them may be left, keep the old secret as safe as the new.
4. The keys are the same. Whoever had the old secret and a copy of the folder has them: then move what the wallets hold.
`

// resealFlags are a folder, the secret that opens it, and the one that shall.
type resealFlags struct{ data, old, next string }

func parseReseal(args []string) (r resealFlags, err error) {
	f := flag.NewFlagSet("reseal", flag.ContinueOnError)
	f.StringVar(&r.data, "data", "", "folder of the enclave, which is not running")
	f.StringVar(&r.old, "unseal-file", "", "file with the unseal secret, - for standard input")
	f.StringVar(&r.next, "new-secret-file", "", "file with the secret that shall unseal from now on")
	if err := f.Parse(args); err != nil {
		return r, err
	}
	switch {
	case f.NArg() > 0:
		return r, errors.New("reseal takes no more than flags")
	case r.data == "" || r.old == "" || r.next == "":
		return r, errors.New("--data, --unseal-file and --new-secret-file are needed")
	case r.next == "-":
		return r, errors.New("--new-secret-file has to be a file: what opens the signer from now on has to be kept")
	}
	return r, private(r.next)
}

// reseal puts another unseal secret in the place of the one before, of a signer that is stopped.
func reseal(args []string) error {
	_ = harden.Apply() // before any secret is in memory; what is missing here matters to whoever runs for long
	r, err := parseReseal(args)
	if err != nil {
		return err
	}
	from, err := sealerOf(r.old, keystore.ParseSecret)
	if err != nil {
		return err
	}
	to, err := sealerOf(r.next, keystore.NewSecret)
	if err != nil {
		return fmt.Errorf("the new secret: %w", err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o := enclave.Options{Dir: r.data, Sealer: from, Version: version, Build: build(), Log: log}
	err = enclave.Reseal(o, to, func(env chain.Environment) error {
		if env == chain.Production {
			return refuseRoot() // the new file would be root's, and closed to the signer
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Print(resealed)
	return nil
}

func sealerOf(path string, parse func([]byte) (keystore.Sealer, error)) (keystore.Sealer, error) {
	secret, err := readSecret(path)
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	return parse(secret)
}

// private refuses a new secret that other users of this machine may have read.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("reading the new secret: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("other users may read the file of the new secret: make another one, with umask 077")
	}
	return nil
}
