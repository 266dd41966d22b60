package idempotency

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A key that is taken is the same in any case, and opens what it has sealed.
func FuzzKey(f *testing.F) {
	f.Add("3f0c4a52-6d5e-4d0b-9a57-2f1f0f4a8c11", []byte(`{"a":1}`))
	f.Add("3F0C4A52-6D5E-4D0B-9A57-2F1F0F4A8C11", []byte{})
	f.Add("3f0c4a52-6d5e-1d0b-9a57-2f1f0f4a8c11", []byte{})
	f.Add("3f0c4a526d5e4d0b9a572f1f0f4a8c11\n", []byte{})
	f.Fuzz(func(t *testing.T, text string, body []byte) {
		r := Request{Method: "POST", Path: "/v1/x", Body: body}
		key, err := Key("workspace", text, r)
		if err != nil {
			if !errors.Is(err, ErrBadKey) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		upper, err := Key("workspace", strings.ToUpper(text), r)
		if err != nil || upper.Hash != key.Hash || upper.Request != key.Request {
			t.Errorf("in upper case another key: %v", err)
		}
		sealed, err := key.Seal(body)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := upper.Open(sealed); err != nil || !bytes.Equal(opened, body) {
			t.Errorf("opened %q of %q, %v", opened, body, err)
		}
	})
}
