package chain

import (
	"errors"
	"testing"
)

func TestParseHex(t *testing.T) {
	for text, want := range map[string]string{"": "", "0x": "", "0x0aFF": "\x0a\xff", "0aff": "\x0a\xff"} {
		if got, err := ParseHex(text); err != nil || string(got) != want {
			t.Errorf("%q: %x %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "0x0", "zz", "0x0x00", "0X00", " 00"} {
		if _, err := ParseHex(text); !errors.Is(err, ErrHex) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := Hex([]byte{0, 255}); got != "0x00ff" {
		t.Error(got)
	}
}
