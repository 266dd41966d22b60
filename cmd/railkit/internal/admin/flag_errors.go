package admin

import (
	"errors"
	"regexp"
	"strings"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fault"
)

// flagged says of an error that a caller of the API would get which flag it is
// about.
func flagged(err error) error {
	f, is := fault.As(err)
	switch {
	case !is:
		return err
	case errors.Is(err, fault.ErrValidation):
		return cli.UsageError(errors.New(flagOf(f.Message)))
	case errors.Is(err, fault.Missing("Workspace")) && f.Message == fault.Missing("Workspace").Message:
		return errors.New("--workspace: there is none with this id in this --environment")
	case errors.Is(err, fault.Missing("API key")) && f.Message == fault.Missing("API key").Message:
		return errors.New("--key: the workspace has none with this id")
	}
	return err
}

var (
	invalid = regexp.MustCompile(`^Validation failed: ([A-Za-z]+)([^ ]*) (.*)$`)
	capital = regexp.MustCompile(`[A-Z]+`)
	// flagNames are the flags that are not called as their field is.
	flagNames = map[string]string{
		"rateLimits.standard": "limit-standard", "rateLimits.financial": "limit-financial",
		"submissionId": "submission",
	}
)

// flagOf turns "Validation failed: ipAllowlist[0] must…" into "--ip-allowlist: must…".
func flagOf(message string) string {
	m := invalid.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	name := flagNames[m[1]+m[2]]
	if name == "" {
		name = strings.ToLower(capital.ReplaceAllString(m[1], "-$0"))
	}
	return "--" + name + ": " + m[3]
}
