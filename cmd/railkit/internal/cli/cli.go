// Package cli is what the commands of railkit share: how a command is found and
// called, how it reads its flags and the installation's settings, and how an
// error becomes one line and an exit code.
//
// Read cli.go, then settings.go. tables.go compares the database with the program.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Command is one subcommand. Its name may be of several words.
type Command struct {
	Name, Does string
	Run        func(ctx context.Context, env Env, args []string) error
}

// Env is what a command gets from the program: what it reads, where it writes, and the version.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Version  string
}

// Run finds the command that the arguments begin with and calls it. It returns the
// exit code: 0, 1 for a failure, 2 for a wrong call. Where the name of a command
// begins with another one's, the longer one has to come first.
func Run(ctx context.Context, env Env, args []string, commands []Command) int {
	if len(args) == 0 {
		help(env.Err, commands)
		return 2
	}
	if AsksHelp(args[0]) {
		help(env.Out, commands)
		return 0
	}
	for _, c := range commands {
		words := strings.Fields(c.Name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return report(env, c.Name, c.Run(ctx, env, args[len(words):]))
		}
	}
	fmt.Fprintf(env.Err, "railkit: no such command; railkit help lists them\n")
	return 2
}

// AsksHelp says whether an argument asks for help.
func AsksHelp(arg string) bool {
	switch arg {
	case "help", "-h", "-help", "--help":
		return true
	}
	return false
}

// report turns an error into one line and an exit code.
func report(env Env, name string, err error) int {
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, ErrTold):
		return 2
	case errors.As(err, &wrong):
		fmt.Fprintf(env.Err, "railkit %s: %s; see railkit %s -h\n", name, OneLine(err), name)
		return 2
	}
	fmt.Fprintf(env.Err, "railkit %s: %s\n", name, OneLine(err))
	return 1
}

// OneLine keeps an error that joins several on one line.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Printable keeps what others wrote from steering the operator's terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, text)
}

// ErrTold is a wrong call that was answered in more than a line.
var ErrTold = errors.New("wrong call")

type usageError struct{ error }

// UsageError marks an error as that of a wrong call: a flag that does not exist, an
// argument too many. The program ends with exit code 2.
func UsageError(err error) error { return usageError{err} }

// help lists the commands whose names are one word. Those lead to the longer ones.
func help(w io.Writer, commands []Command) {
	fmt.Fprint(w, "railkit: self-hosted stablecoin payments, passkey wallets and paying agents\n\n")
	for _, c := range commands {
		if !strings.Contains(c.Name, " ") {
			fmt.Fprintf(w, "  railkit %-14s %s\n", c.Name, c.Does)
		}
	}
	fmt.Fprint(w, "\nrailkit COMMAND -h lists a command's flags.\n")
}

// Flags makes a flag set whose errors come out as one line.
func Flags(env Env, name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(env.Out)
	f.Usage = func() {
		fmt.Fprintf(env.Out, "usage of railkit %s:\n", name)
		f.PrintDefaults()
	}
	return f
}

// Parse reads the flags of a command that takes nothing else.
func Parse(f *flag.FlagSet, args []string) error {
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
		return UsageError(err)
	case f.NArg() > 0:
		return UsageError(errors.New("it takes flags only"))
	}
	return nil
}
