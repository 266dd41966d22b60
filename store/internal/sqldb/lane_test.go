package sqldb

import (
	"testing"

	"github.com/railkit/railkit/platform/command"
)

// A workspace with many changes lets another one's pass, and a key's second change waits for the first.
func TestTake(t *testing.T) {
	key := func(hash string) *command.Key { return &command.Key{Hash: hash} }
	first := &change{workspaceID: "loud", key: key("same")}
	l := &lane{busy: true}
	l.join(&change{workspaceID: "loud", key: key("same")})
	for range 40 {
		l.join(&change{workspaceID: "loud"})
	}
	quiet := []*change{{workspaceID: "quiet"}, {workspaceID: "quiet", key: key("same")}}
	for _, c := range quiet {
		l.join(c)
	}
	all := l.take(first)
	if len(all) != most || all[0] != first || all[2] != quiet[0] || all[4] != quiet[1] {
		t.Errorf("%d are taken, of which the quiet workspace's are not the second of each turn", len(all))
	}
	if l.length() != 41+2-(most-1) || l.waiting[0].key == nil {
		t.Errorf("%d wait, the first of them with the key %v", l.length(), l.waiting[0].key)
	}
}
