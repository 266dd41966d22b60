package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/team"
)

var declaredKind = regexp.MustCompile(`job\.Kind += "([a-z0-9_]+)"`)

// A job of a kind without a handler would wait in the queue for good, so every kind that a kit declares has one.
func TestEveryKindOfJobHasAHandler(t *testing.T) {
	a := &App{Signing: &signing.Kit{}, Agents: &agent.Kit{}, Payout: &payout.Kit{}, Notices: &notice.Inbox{}}
	handlers := a.handlers(people{team: &team.Service{}, kyb: &kyb.Service{}})
	found := 0
	for _, folder := range []string{"../../kit", "../../platform"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range declaredKind.FindAllStringSubmatch(string(text), -1) {
				found++
				if handlers[job.Kind(m[1])] == nil {
					t.Errorf("%s declares jobs of the kind %s; internal/app/jobs.go has no handler of them", path, m[1])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found != len(handlers) {
		t.Errorf("%d kinds are declared, %d have a handler", found, len(handlers))
	}
}
