package localnet

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/railkit/railkit/chain/tron"
)

// call is what somebody asks: members of the query, or of an object in JSON.
type call struct {
	node      string
	solidOnly bool
	members   map[string]any
}

func (q *call) read(w http.ResponseWriter, r *http.Request) error {
	q.members = map[string]any{}
	for name, values := range r.URL.Query() {
		q.members[name] = values[0]
	}
	raw, err := body(w, r)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&q.members) != nil {
		return errors.New("the body is no object in JSON")
	}
	return nil // null has no members, as nothing has
}

// within is a member that is an object.
func (q call) within(name string) call {
	inner, _ := q.members[name].(map[string]any)
	return call{node: q.node, members: inner}
}

func (q call) text(name string) string {
	switch v := q.members[name].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// number is 0 where the member is not there.
func (q call) number(name string) (int64, error) {
	text := q.text(name)
	if text == "" {
		return 0, nil
	}
	n, err := json.Number(text).Int64()
	if err != nil {
		return 0, fmt.Errorf("%s is no number", name)
	}
	return n, nil
}

// visible says that addresses are in base58check and texts are plain; else both are in hex.
func (q call) visible() bool {
	v, _ := q.members["visible"].(bool)
	return v || strings.EqualFold(q.text("visible"), "true")
}

func (q call) is(name string) bool {
	v, _ := q.members[name].(bool)
	return v || strings.EqualFold(q.text(name), "true")
}

// address reads one in base58check, or the hex of its 21 bytes, whichever visible says: nodes are asked with both.
func (q call) address(name string) (tron.Address, error) { return addressIn(q.text(name)) }

func addressIn(text string) (tron.Address, error) {
	if raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x")); err == nil && len(raw) == 21 && raw[0] == 0x41 {
		return tron.Address(raw[1:]), nil
	}
	return tron.ParseAddress(text)
}

func (q call) bytes(name string) ([]byte, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(q.text(name), "0x"))
	if err != nil {
		return nil, fmt.Errorf("%s is no hex", name)
	}
	return raw, nil
}
