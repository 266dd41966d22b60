package x402_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/x402"
)

// What is written is padded base64 of the standard alphabet; all four spellings of it are read.
func TestHeaderForms(t *testing.T) {
	for _, text := range []string{"", "x", "xy", "xyz", "\x7e\x7e\x7e\x3f\x3f"} {
		written, err := x402.EncodeHeader(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base64.StdEncoding.Strict().DecodeString(written)
		if err != nil {
			t.Errorf("%s is not strict base64: %v", written, err)
		}
		for _, form := range []*base64.Encoding{
			base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
		} {
			if got, err := x402.DecodeHeader(form.EncodeToString(raw)); err != nil || string(got) != string(raw) {
				t.Errorf("%s: %s, %v", form.EncodeToString(raw), got, err)
			}
		}
	}
}

func TestHeaderRefused(t *testing.T) {
	encode := base64.StdEncoding.EncodeToString
	big := `{"a":"` + strings.Repeat("x", x402.MaxHeader) + `"}`
	for name, text := range map[string]string{
		"nothing":              "",
		"not base64":           "%%%",
		"three paddings":       encode([]byte(`{}`)) + "==",
		"bits after the end":   "e31", // {} and two bits
		"a line break":         "e3\n0=",
		"a space":              "e3 0=",
		"text, not an object":  encode([]byte(`"x"`)),
		"a list":               encode([]byte(`[]`)),
		"two values":           encode([]byte(`{}{}`)),
		"a member twice":       encode([]byte(`{"a":1,"a":2}`)),
		"a member twice below": encode([]byte(`{"b":[{"a":1,"\u0061":2}]}`)),
		"text that is no text": encode([]byte("{\"a\":\"\xff\"}")),
		"too much":             encode([]byte(big)),
	} {
		if got, err := x402.DecodeHeader(text); !errors.Is(err, x402.ErrHeader) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, err := x402.EncodeHeader(big); !errors.Is(err, x402.ErrHeader) {
		t.Errorf("a header that nobody reads was written: %v", err)
	}
}

func TestHeaderRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "object")
		text, err := x402.EncodeHeader(want)
		if err != nil {
			t.Skip("text that is not UTF-8")
		}
		raw, err := x402.DecodeHeader(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := x402.EncodeHeader(raw); err != nil || again != text {
			t.Fatalf("%s came back as %s, %v", text, again, err)
		}
	})
}
