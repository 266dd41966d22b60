package npmtest

import (
	"encoding/json"
	"errors"
	"testing"
)

// InstallWidget fetches the action kit's own validator of metadata. One of its dependencies, oxc-parser, is replaced by
// a small package: the validator does not use it, and npm cannot install its binaries on every machine.
func InstallWidget(t testing.TB) Packages {
	t.Helper()
	return install(t, "widget")
}

// CheckMetadata is what the action kit's validator has against each of several metadata; "" is nothing.
func (p Packages) CheckMetadata(all ...json.RawMessage) (problems []string, err error) {
	return problems, p.run("check.mjs", func(c *call) error {
		for _, metadata := range all {
			var answer struct{ Problem string }
			if err := errors.Join(c.write(metadata), c.read(&answer)); err != nil {
				return err
			}
			problems = append(problems, answer.Problem)
		}
		return nil
	})
}
