// Package npmtest runs packages of others, from npm, against this tree: the
// field's stampers and an independent reader of transactions. They are pinned by
// a lock file and run as they come.
package npmtest

import (
	"bufio"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"testing"
)

//go:embed package.json package-lock.json *.mjs x402/package.json x402/package-lock.json x402/*.mjs
//go:embed exchanges/package.json exchanges/package-lock.json
//go:embed mcp/package.json mcp/package-lock.json mcp/*.mjs widget/package.json widget/package-lock.json widget/*.mjs
//go:embed solana/package.json solana/package-lock.json solana/*.mjs
//go:embed tron/package.json tron/package-lock.json tron/*.mjs
//go:embed webhooks/package.json webhooks/package-lock.json webhooks/*.mjs
//go:embed litesvm/package.json litesvm/package-lock.json litesvm/*.mjs
//go:embed x402svm/package.json x402svm/package-lock.json x402svm/*.mjs
var files embed.FS

// Packages is a folder with the packages installed.
type Packages struct{ dir string }

// Install fetches the packages, once for all tests.
func Install(t testing.TB) Packages {
	t.Helper()
	return install(t, ".")
}

// install fetches the packages of a folder here.
func install(t testing.TB, folder string) Packages {
	t.Helper()
	entries, err := files.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if contents[e.Name()], err = files.ReadFile(path.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := Folder(contents)
	if err != nil {
		t.Fatal(err)
	}
	return Packages{dir}
}

// Stamp is a stamp as a stamper hands it to its caller.
type Stamp struct {
	HeaderName  string `json:"stampHeaderName"`
	HeaderValue string `json:"stampHeaderValue"`
}

// APIKey is the configuration of the field's API-key stamper.
type APIKey struct {
	PublicKey  string `json:"apiPublicKey"`
	PrivateKey string `json:"apiPrivateKey"`
}

// KeyStamp stamps a body with the API-key stamper.
func (p Packages) KeyStamp(key APIKey, body string) (s Stamp, err error) {
	return s, p.run("stamp.mjs", func(c *call) error {
		return errors.Join(c.write(map[string]any{"body": body, "apiKey": key}), c.read(&s))
	})
}

// Get answers navigator.credentials.get: JSON of its options in, JSON of a
// credential out.
type Get func(options []byte) (credential []byte, err error)

// PasskeyStamp stamps a body with the passkey stamper.
func (p Packages) PasskeyStamp(rpID string, get Get, body string) (s Stamp, err error) {
	return s, p.run("stamp.mjs", func(c *call) error {
		var options json.RawMessage
		if err := errors.Join(c.write(map[string]any{"body": body, "rpId": rpID}), c.read(&options)); err != nil {
			return err
		}
		credential, err := get(options)
		if err != nil {
			return err
		}
		return errors.Join(c.write(json.RawMessage(credential)), c.read(&s))
	})
}

// Transaction is a signed transaction as ethers reads it. Numbers are decimal.
type Transaction struct {
	Hash, From, To, Data, ChainID, Value, GasLimit, Serialized string
	Type, Nonce                                                int
}

// Recover reads a signed transaction with ethers.
func (p Packages) Recover(raw string) (tx Transaction, err error) {
	return tx, p.run("recover.mjs", func(c *call) error {
		return errors.Join(c.write(map[string]any{"raw": raw}), c.in.Close(), c.read(&tx))
	})
}

// call is a script that runs, and speaks in lines of JSON.
type call struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func (c *call) write(v any) error { return json.NewEncoder(c.in).Encode(v) }

func (c *call) read(v any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("reading the script's answer: %w", err)
	}
	return json.Unmarshal(line, v)
}

func (p Packages) run(script string, talk func(*call) error) error {
	node := exec.Command("node", script)
	node.Dir, node.Stderr = p.dir, os.Stderr
	in, err := node.StdinPipe()
	if err != nil {
		return err
	}
	out, err := node.StdoutPipe()
	if err != nil {
		return err
	}
	if err := node.Start(); err != nil {
		return err
	}
	err = talk(&call{in, bufio.NewReader(out)})
	_ = in.Close()
	return errors.Join(err, node.Wait())
}
