package chain_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
)

// Bytes have one text, and a text of other bytes, or of as many by another spelling, is none.
func TestBase58(t *testing.T) {
	t.Parallel()
	for text, raw := range map[string][]byte{
		"": {}, "1": {0}, "112": {0, 0, 1}, "5Q": {255}, "2NEpo7TZRRrLZSi2U": []byte("Hello World!"),
	} {
		got, err := chain.ParseBase58(text, len(raw))
		if err != nil || !bytes.Equal(got, raw) || chain.Base58(raw) != text {
			t.Errorf("%q is read as %x, and %x written as %q: %v", text, got, raw, chain.Base58(raw), err)
		}
	}
	for _, text := range []string{"", "5Q1", "15Q", "5R", "0Q", "lQ", "OQ", "IQ", "5 Q", strings.Repeat("z", 1<<20)} {
		if got, err := chain.ParseBase58(text, 1); !errors.Is(err, chain.ErrBase58) {
			t.Errorf("%.9q is read as %x: %v", text, got, err)
		}
	}
}
