package edge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/api/edge"
)

func TestCursor(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 89012000, time.UTC)
	p := edge.Paging{Page: 3, Limit: 20, Cursor: edge.EncodeCursor(at, "id 1")}
	gotAt, gotID, ok, err := p.After()
	if err != nil || !ok || !gotAt.Equal(at) || gotID != "id 1" {
		t.Errorf("%v %q %v %v", gotAt, gotID, ok, err)
	}
	if p.Offset() != 40 {
		t.Errorf("offset %d", p.Offset())
	}
	if _, _, ok, err := (edge.Paging{}).After(); ok || err != nil {
		t.Errorf("no cursor: %v %v", ok, err)
	}
}

func TestForeignCursor(t *testing.T) {
	for _, bad := range []string{"x", "!", "MTIz", "YSBi", edge.EncodeCursor(time.Now(), "")} {
		_, _, ok, err := edge.Paging{Cursor: bad}.After()
		if ok || err == nil || !strings.Contains(err.Error(), "cursor must be the nextCursor of an earlier page") {
			t.Errorf("%q: %v %v", bad, ok, err)
		}
	}
}
