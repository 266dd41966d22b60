// Package canary looks for secrets where they must not be: in logs, answers,
// errors, dumps and databases, in every form in which they could get there.
package canary

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Cage holds the secrets that are looked for.
type Cage struct {
	forms []form
}

// form is one way to write one secret.
type form struct {
	secret, how string
	bytes       []byte
}

// leastLength keeps out what would be found everywhere by chance.
const leastLength = 12

// Add takes a secret in: as it is, in hex, and in both kinds of base64, also in
// the middle of something longer.
func (c *Cage) Add(name string, secret []byte) {
	if len(secret) < leastLength {
		panic("canary: " + name + " is too short to look for") // a mistake of the test
	}
	lower := hex.EncodeToString(secret)
	c.add(name, "as it is", secret)
	c.add(name, "in hex", []byte(lower))
	c.add(name, "in capital hex", []byte(strings.ToUpper(lower)))
	for shift := range 3 {
		c.add(name, "in base64", inside(base64.RawStdEncoding, secret, shift))
		c.add(name, "in base64url", inside(base64.RawURLEncoding, secret, shift))
	}
}

// AddText takes in a secret that is text.
func (c *Cage) AddText(name, secret string) { c.Add(name, []byte(secret)) }

func (c *Cage) add(name, how string, b []byte) {
	same := func(f form) bool { return f.secret == name && bytes.Equal(f.bytes, b) }
	if !slices.ContainsFunc(c.forms, same) {
		c.forms = append(c.forms, form{name, how, b})
	}
}

// inside is what of the secret's base64 does not depend on its neighbours where
// shift bytes stand before it.
func inside(e *base64.Encoding, secret []byte, shift int) []byte {
	text := e.EncodeToString(append(make([]byte, shift), secret...))
	first := (shift*8 + 5) / 6            // characters that hold bits of what stands before
	last := (shift + len(secret)) * 8 / 6 // and those that hold bits of what comes after
	return []byte(text[first:last])
}

// Find names the secrets in b. It never repeats one.
func (c *Cage) Find(where string, b []byte) []string {
	var found []string
	for _, f := range c.forms {
		if bytes.Contains(b, f.bytes) {
			found = append(found, fmt.Sprintf("%s holds the %s, %s", where, f.secret, f.how))
		}
	}
	return found
}

// FindInFolder looks into all files below a folder, and at their names.
func (c *Cage) FindInFolder(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		found = append(found, c.Find("the name "+d.Name(), []byte(d.Name()))...)
		if !d.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found = append(found, c.Find(d.Name(), raw)...)
		return nil
	})
	return found, err
}
