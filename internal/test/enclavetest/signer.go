// Package enclavetest runs the real signer inside a test's own process: its
// genesis, keys, journal, clock and socket are those of railkit-enclave. What it
// lacks is the process: it cannot be killed, is not hardened, and is started
// again by nobody. Two starts of the program for each test cost more than many
// a test does.
package enclavetest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/keystore"
)

// Options say what the signer is sealed for and where its files are.
type Options struct {
	Dir        string // of the enclave; it must not be there yet
	Socket     string
	SecretFile string // gets the unseal secret, for who opens the folder with the program later
	PriceKey   string // public key of the price signer
	Origin     string
	Networks   []chain.Network // nil: all that the program lists
	Log        io.Writer
}

// Signer is a signer of the sandbox.
type Signer struct {
	IdentityKey string // compressed P-256, hex

	t       testing.TB
	options Options
	stop    func()
}

// New seals a signer and starts it. It ends with the test.
func New(t testing.TB, o Options) *Signer {
	t.Helper()
	s := &Signer{t: t, options: o, stop: func() {}}
	secret, err := keystore.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	err = enclave.Init(enclave.InitOptions{
		Dir: o.Dir, Environment: chain.Sandbox, RPID: "localhost", Origins: []string{o.Origin}, PriceKey: o.PriceKey,
		Networks: o.Networks, Secret: secret, SecretFile: o.SecretFile, Tell: func(key string) { s.IdentityKey = key },
	})
	if err != nil {
		t.Fatalf("making the enclave: %v", err)
	}
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

// Start opens the folder and serves the socket. New has done it; after Stop the
// signer goes on with the same folder.
func (s *Signer) Start() {
	s.t.Helper()
	o := s.options
	service, err := enclave.Open(enclave.Options{
		Dir: o.Dir, Sealer: sealer(s.t, o.SecretFile), Version: "test", AcceptTime: true,
		Log: slog.New(slog.NewJSONHandler(o.Log, nil)),
	})
	if err != nil {
		s.t.Fatalf("opening the enclave: %v", err)
	}
	l, err := enclave.Listen(o.Socket, -1)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- service.Serve(ctx, l, os.Getuid()) }()
	s.stop = func() {
		s.stop = func() {}
		cancel()
		if err := <-served; err != nil {
			s.t.Errorf("serving the enclave: %v", err)
		}
		if err := service.Close(); err != nil {
			s.t.Errorf("closing the enclave: %v", err)
		}
	}
}

// IdentityKey opens the enclave in a folder and gives the private key that signs its statements. No host has it: a test
// that signs with it shows what a client believes of the enclave, and what it compares all the same.
func IdentityKey(t testing.TB, dir, secretFile string) *ecdsa.PrivateKey {
	t.Helper()
	g, err := enclave.LoadGenesis(dir, sealer(t, secretFile))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), g.IdentityKey)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sealer(t testing.TB, secretFile string) keystore.Sealer {
	t.Helper()
	secret, err := os.ReadFile(secretFile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := keystore.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Stop closes the socket and the folder. A second call does nothing.
func (s *Signer) Stop() { s.stop() }
