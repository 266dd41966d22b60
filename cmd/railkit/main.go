// Command railkit is the server of a Railkit installation, and everything that
// goes with running one: the local platform, the story, the checks.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// version is set by the build.
var version = "dev"

// command is one subcommand.
type command struct {
	name, does string
	run        func(ctx context.Context, io stdio, args []string) error
}

// stdio is where a command writes.
type stdio struct{ out, err io.Writer }

func commands() []command {
	return []command{
		{"dev", "run the whole platform on this machine: API, signer, blockchain", dev},
		{"demo", "walk through the whole story against a private platform", runDemo},
		{"serve", "run the API server alone", serve},
		{"migrate", "bring the database to this version's tables", migrate},
		{"admin", "workspaces, API keys, members and the audit record, on the database itself", admin},
		{"openapi", "print the OpenAPI document", openapi},
		{"doctor", "check what an installation needs, one line each", doctor},
		{"version", "print the version", printVersion},
	}
}

func main() {
	os.Exit(run(context.Background(), stdio{os.Stdout, os.Stderr}, os.Args[1:]))
}

// run is main with an exit code: 0, 1 for a failure, 2 for a wrong call.
func run(ctx context.Context, io stdio, args []string) int {
	if len(args) == 0 {
		help(io.err)
		return 2
	}
	if asksHelp(args[0]) {
		help(io.out)
		return 0
	}
	for _, c := range slices.Concat(adminCommands(), commands()) {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return report(io, c.name, c.run(ctx, io, args[len(words):]))
		}
	}
	fmt.Fprintf(io.err, "railkit: no such command; railkit help lists them\n")
	return 2
}

func asksHelp(arg string) bool {
	switch arg {
	case "help", "-h", "-help", "--help":
		return true
	}
	return false
}

// report turns an error into one line and an exit code.
func report(io stdio, name string, err error) int {
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(io.err, "railkit %s: %s; see railkit %s -h\n", name, oneLine(err), name)
		return 2
	}
	fmt.Fprintf(io.err, "railkit %s: %s\n", name, oneLine(err))
	return 1
}

// oneLine keeps an error that joins several on one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// usageError is a wrong call: a flag that does not exist, an argument too many.
type usageError struct{ error }

func help(w io.Writer) {
	fmt.Fprint(w, "railkit: self-hosted stablecoin payments, passkey wallets and paying agents\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  railkit %-9s %s\n", c.name, c.does)
	}
	fmt.Fprint(w, "\nrailkit COMMAND -h lists a command's flags.\n")
}

// flags makes a flag set whose errors come out as one line.
func flags(io stdio, name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.out)
	f.Usage = func() {
		fmt.Fprintf(io.out, "usage of railkit %s:\n", name)
		f.PrintDefaults()
	}
	return f
}

// parse reads the flags of a command that takes nothing else.
func parse(f *flag.FlagSet, args []string) error {
	usage, out := f.Usage, f.Output()
	f.Usage = func() {}
	f.SetOutput(io.Discard)
	err := f.Parse(args)
	f.SetOutput(out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage()
		return err
	case err != nil:
		return usageError{err}
	case f.NArg() > 0:
		return usageError{errors.New("it takes flags only")}
	}
	return nil
}
