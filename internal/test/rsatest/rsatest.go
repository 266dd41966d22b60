// Package rsatest gives tests an RSA key. To make one takes up to a second of a processor, and most tests need any:
// this one is testRSA2048 of RFC 9500, section 2.1, known to everybody.
package rsatest

import (
	"crypto/rsa"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
)

//go:embed key.pem
var text []byte

// Key is the key of tests.
func Key() *rsa.PrivateKey {
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		panic(err) // the file beside this one
	}
	return key
}

// PartnerFolder puts the key where the sandbox's partner looks for the one that signs its notices. A partner in another
// folder makes its own, as everybody's does.
func PartnerFolder(tb testing.TB, folder string) string {
	tb.Helper()
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "webhook.key.pem"), text, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return folder
}
