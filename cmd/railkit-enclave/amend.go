package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/enclave/keystore"
)

// amendFlags are what the operator wants added, and how he confirms it.
type amendFlags struct {
	data, unseal string
	listed, yes  bool
	wanted       decide.Amendment
	confirmed    list
}

func parseAmend(args []string) (a amendFlags, err error) {
	var networks, tokens, origins list
	f := flag.NewFlagSet("amend", flag.ContinueOnError)
	f.StringVar(&a.data, "data", "", "folder of the enclave, which is not running")
	f.StringVar(&a.unseal, "unseal-file", "", "file with the unseal secret, - for standard input")
	f.BoolVar(&a.listed, "listed", false, "add the networks and tokens that this program lists and the signer has not")
	f.Var(&networks, "network",
		"add a network: JSON with slug, name, kind, chainId, confirmations, native, explorer, dataFee; may be repeated")
	f.Var(&tokens, "token",
		"add a token: JSON with chain, symbol, address, decimals, domainName, domainVersion; may be repeated")
	f.Var(&origins, "origin", "add an exact origin of a page that asks for stamps; may be repeated")
	f.StringVar(&a.wanted.PriceKey, "price-key", "",
		"the public key of another price signer, in place of the one before")
	f.Var(&a.confirmed, "confirm", "confirm a change by its name, instead of typing it; once for each change")
	f.BoolVar(&a.yes, "yes", false, "sandbox: confirm all changes")
	if err := f.Parse(args); err != nil {
		return a, err
	}
	if f.NArg() > 0 {
		return a, errors.New("amend takes no more than flags")
	}
	if a.data == "" || a.unseal == "" {
		return a, errors.New("--data and --unseal-file are needed")
	}
	a.wanted.Origins = origins
	for _, text := range networks {
		n, err := decide.ParseNetwork(text)
		if err != nil {
			return a, err
		}
		a.wanted.Networks = append(a.wanted.Networks, n)
	}
	for _, text := range tokens {
		t, err := decide.ParseToken(text)
		if err != nil {
			return a, err
		}
		a.wanted.Tokens = append(a.wanted.Tokens, t)
	}
	if !a.listed && len(a.wanted.Changes()) == 0 {
		return a, errors.New("nothing is to be added: give --network, --token, --origin, --price-key or --listed")
	}
	return a, nil
}

// amend adds to a signer that is stopped. It opens no socket: nobody but who started it can speak to it.
func amend(args []string) error {
	_ = harden.Apply() // before any secret is in memory; what is missing here matters to whoever runs for long
	a, err := parseAmend(args)
	if err != nil {
		return err
	}
	secret, err := readSecret(a.unseal)
	if err != nil {
		return err
	}
	sealer, err := keystore.ParseSecret(secret)
	clear(secret)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	done, err := enclave.Amend(enclave.Amending{
		Options: enclave.Options{Dir: a.data, Sealer: sealer, Version: version, Build: build(), Log: log},
		Wanted:  a.wanted, Listed: a.listed,
		Confirm: func(env chain.Environment, changes []decide.Change) error {
			return a.confirm(env, changes, os.Stdin, os.Stdout)
		},
	})
	if err != nil {
		return err
	}
	if len(done) == 0 {
		fmt.Println("nothing to add: all of it is in force")
	}
	for _, c := range done {
		fmt.Println("done:", c)
	}
	return nil
}

// confirm shows every change and what it lets others do, and wants its name: as a flag, or typed.
func (a amendFlags) confirm(env chain.Environment, changes []decide.Change, in io.Reader, out io.Writer) error {
	if a.yes && env != chain.Sandbox {
		return errors.New("--yes is for the sandbox only: confirm each change by its name")
	}
	if env == chain.Production {
		if err := refuseRoot(); err != nil {
			return err
		}
	}
	if a.yes {
		return nil
	}
	for _, name := range a.confirmed {
		if !slices.ContainsFunc(changes, func(c decide.Change) bool { return c.Name == name }) {
			return fmt.Errorf("--confirm %q is the name of no change that would be made", name)
		}
	}
	lines, missing := bufio.NewScanner(in), []string(nil)
	asks := len(a.confirmed) == 0 && a.unseal != "-" // standard input is the operator's keyboard
	for _, c := range changes {
		fmt.Fprintf(out, "%s\n    %s\n", c, c.Means)
		if asks {
			fmt.Fprintf(out, "    Type its name to confirm it (%s): ", c.Name)
			asks = lines.Scan() && strings.TrimSpace(lines.Text()) == c.Name
			fmt.Fprintln(out)
		}
		if !asks && !slices.Contains(a.confirmed, c.Name) {
			missing = append(missing, fmt.Sprintf("--confirm '%s'", c.Name))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("not confirmed, and nothing is changed. What confirms it: %s", strings.Join(missing, " "))
	}
	return nil
}
