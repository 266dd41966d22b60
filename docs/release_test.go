package docs

import (
	"regexp"
	"testing"
)

var (
	release  = regexp.MustCompile(`(?m)^RELEASE := (\S+)$`)
	released = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$`)
)

// What `railkit version` says is the newest version of the changelog.
func TestReleaseIsDescribed(t *testing.T) {
	is := release.FindStringSubmatch(read(t, "../Makefile"))
	newest := released.FindStringSubmatch(read(t, "../CHANGELOG.md"))
	if is == nil || newest == nil || is[1] != newest[1] {
		t.Errorf("the Makefile's RELEASE is %q, and the newest version of CHANGELOG.md is %q", is, newest)
	}
}
