package canary_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/canary"
)

// The search finds a secret in every form and at every place, else it proves nothing.
func TestFindsEveryForm(t *testing.T) {
	secret := make([]byte, 32)
	for range 50 {
		_, _ = rand.Read(secret)
		c := &canary.Cage{}
		c.Add("key", secret)
		for shift := range 4 {
			long := bytes.Join([][]byte{make([]byte, shift), secret, []byte("tail")}, nil)
			for how, text := range map[string]string{
				"as it is": string(long), "hex": hex.EncodeToString(long),
				"capital hex": strings.ToUpper(hex.EncodeToString(long)),
				"base64":      base64.StdEncoding.EncodeToString(long),
				"base64url":   base64.RawURLEncoding.EncodeToString(long),
			} {
				if len(c.Find("text", []byte("before "+text+" after"))) == 0 {
					t.Fatalf("not found %s, after %d bytes: %x", how, shift, secret)
				}
			}
		}
		other := append([]byte{secret[0] ^ 1}, secret[1:]...)
		if found := c.Find("text",
			[]byte(hex.EncodeToString(other)+base64.StdEncoding.EncodeToString(other))); len(found) > 0 {
			t.Fatalf("found what is not there: %v", found)
		}
	}
}

func TestFindsInFolder(t *testing.T) {
	c := &canary.Cage{}
	c.AddText("password", "correct horse battery")
	dir := t.TempDir()
	for name, text := range map[string]string{"below/log": "x correct horse battery x", "clean": "x"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := c.FindInFolder(dir)
	if err != nil || len(found) != 1 || found[0] != "log holds the password, as it is" {
		t.Errorf("%q, %v", found, err)
	}
}
