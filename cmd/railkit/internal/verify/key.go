package verify

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/term"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
)

// rights are the scopes of a key that can do what this command does and nothing else:
// https://apidocs.bridge.xyz/api-reference/api-keys/create-a-scoped-api-key lists the scopes.
const rights = "liquidation_address:read, customer:read, wallet:customer:read, external_account:read"

var (
	keyFlags  = regexp.MustCompile(`(?i)^--?[a-z-]*(key|token|secret|password)`)
	keyValues = regexp.MustCompile(`(?i)\bsk-(live|test)`)
	keyForm   = regexp.MustCompile(`^[!-~]{8,256}$`)
)

// refuseKeys refuses a key among the arguments, which other users of the machine see and the shell's history keeps. It
// is not repeated.
func refuseKeys(args []string) error {
	for _, a := range args {
		if keyFlags.MatchString(a) || keyValues.MatchString(a) {
			return cli.UsageError(errors.New("the API key is no argument: it is asked for, or read from the first " +
				"line of stdin; have the partner revoke a key that was typed here, since others may have seen it"))
		}
	}
	return nil
}

// readKey asks for the API key at the terminal, where nobody sees what is typed, or reads it from the first line of
// stdin. The key is kept in memory alone.
func readKey(env cli.Env, partner string) (string, error) {
	fmt.Fprintf(env.Err, "An API key of the payment partner is needed to read its list of addresses. It is sent to %s "+
		"and to nobody else,\nused for nothing but these reads, and not stored.\n", partner)
	text, err := firstLine(env)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(text)
	if !keyForm.MatchString(key) {
		return "", errors.New("there is no API key: type it in, or give it as the first line of stdin")
	}
	return key, nil
}

func firstLine(env cli.Env) (string, error) {
	if f, ok := env.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(env.Err, "API key (it is not shown): ")
		text, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(env.Err)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading the API key: %w", err)
		}
		return string(text), nil
	}
	text, err := bufio.NewReader(io.LimitReader(env.In, 1024)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the API key: %w", err)
	}
	return text, nil
}
