package audit

import (
	"testing"
	"time"
)

var entry = Entry{
	WorkspaceID: "ws-1", ID: "id-1", At: time.UnixMicro(1_700_000_000_000_001), Actor: APIKey, ActorID: "key-1",
	Operation: "op", Action: "wallet.create", Resource: "wallet-1", RequestID: "request-1", RemoteIP: "192.0.2.1",
	Detail: "{}", Before: `{"a":1}`, After: `{"a":2}`,
}

// The form of what is hashed must never change: chains are for years. The hash is
// of these bytes, put together by another program.
func TestSumIsFixed(t *testing.T) {
	const want = "01437ed8d8d2a44b7e6fdda1f9506b3e598e973d019a9d7e97ece40abb6725f7"
	if got := entry.Follow(7, "aa").Hash; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// No two fields can be read as one.
func TestSumKeepsFieldsApart(t *testing.T) {
	one, other := entry, entry
	one.Action, one.Resource = "ab", "c"
	other.Action, other.Resource = "a", "bc"
	if one.Sum() == other.Sum() {
		t.Error("two entries have one hash")
	}
}
