package tron_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/tron"
)

// Addresses of keys, as Trust Wallet's core has them in its tests (tests/chains/Tron/AddressTests.cpp at
// 5295dc4fe299c527b7984611afb597ba003f6ce2), and the two that Tron's genesis has for nobody.
func TestAddress(t *testing.T) {
	t.Parallel()
	for text, raw := range map[string]string{
		"TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC": "415cd0fb0ab3ce40f3051414c604b27756e69e43db",
		"THTR75o8xXAgCTQqpiot2AFRAjvW1tSbVV": "41521ea197907927725ef36d70f25f850d1659c7c7",
		"T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb": "410000000000000000000000000000000000000000",
		"TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy": "4177944d19c052b73ee2286823aa83f8138cb7032f",
	} {
		a, err := tron.ParseAddress(text)
		if err != nil || hex.EncodeToString(a.Bytes()) != raw || a.String() != text {
			t.Errorf("%s is %x, written %s: %v", text, a.Bytes(), a, err)
		}
	}
	for secret, text := range map[string]string{
		"2d8f68944bdbfbc0769542fba8fc2d2a3de67393334471624364c7006da2aa54": "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC",
		"be88df1d0bf30a923cb39c3bb953178baaf3726e8d3ce81e7c8462e046e0d835": "THRF3GuPnvvPzKoaT8pJex5XHmo8NNbCb3",
	} {
		if a := addressOf(t, secretOf(t, secret)); a.String() != text {
			t.Errorf("the key %s has the address %s", secret, a)
		}
	}
}

// A typing error is found by the checksum, whichever character it is in.
func TestAddress_Typos(t *testing.T) {
	t.Parallel()
	good := "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC"
	texts := []string{
		"", "T", "abc", good + "1", "1" + good, good[1:], " " + good, good + "\n", strings.ToLower(good),
		"415cd0fb0ab3ce40f3051414c604b27756e69e43db", "0x415cd0fb0ab3ce40f3051414c604b27756e69e43db",
		"0x5cd0fb0aB3Ce40f3051414C604b27756E69E43DB", "175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W", "2MegQ6oqSda2tTagdEzBA",
		"11111111111111111111111111111111", strings.Repeat("z", 1<<20),
	}
	for i := range good {
		for _, c := range "12Aaz" {
			if other := good[:i] + string(c) + good[i+1:]; other != good {
				texts = append(texts, other)
			}
		}
	}
	for _, text := range texts {
		if a, err := tron.ParseAddress(text); !errors.Is(err, tron.ErrAddress) {
			t.Errorf("%.60q is %x: %v", text, a, err)
		}
	}
}
