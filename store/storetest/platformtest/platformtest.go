// Package platformtest is what every engine behind store must do with workspaces, members and their logins.
package platformtest

import (
	"testing"

	"github.com/railkit/railkit/store/storetest"
)

// bench is one database under test.
type bench struct{ *storetest.Bench }

// Run runs the suite.
func Run(t *testing.T, open storetest.Open) {
	for _, part := range []map[string]func(*testing.T, *bench){
		workspaceTests, teamTests, sessionTests, eventTests, issuerTests, webhookTests, kybTests, notificationTests,
	} {
		storetest.RunEach(t, open, part, func(b *storetest.Bench) *bench { return &bench{b} })
	}
}
