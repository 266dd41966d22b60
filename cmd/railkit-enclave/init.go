package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
)

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

func initialize(args []string) error {
	f := flag.NewFlagSet("init", flag.ContinueOnError)
	o := enclave.InitOptions{}
	var origins list
	f.StringVar(&o.Dir, "data", "", "folder of the enclave")
	environment := f.String("environment", "", "sandbox or production")
	f.StringVar(&o.RPID, "rp-id", "", "WebAuthn relying party id: a host name")
	f.Var(&origins, "origin", "exact origin of the ceremony page; may be repeated")
	f.StringVar(&o.PriceKey, "price-key", "", "public key of the price signer: P-256, compressed, hex")
	newPrice := f.String("new-price-key-file", "", "sandbox: make a price key and write its private half here")
	unseal := f.String("unseal-file", "", "file with the unseal secret, - for standard input")
	newUnseal := f.Bool("new-unseal-file", false, "sandbox: make a new unseal secret and write it to --unseal-file")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.Environment, o.Origins = chain.Environment(*environment), origins
	if o.Dir == "" || *unseal == "" {
		return errors.New("--data and --unseal-file are needed")
	}
	if (*newUnseal || *newPrice != "") && o.Environment != chain.Sandbox {
		return errors.New("--new-unseal-file and --new-price-key-file are for the sandbox only: " +
			"secrets of production are made and kept by its operator")
	}
	if o.Environment == chain.Production {
		if err := refuseRoot(); err != nil {
			return err
		}
	}
	if err := secrets(&o, *unseal, *newUnseal, *newPrice); err != nil {
		return err
	}
	o.Tell = func(key string) { fmt.Println("identity key, for --enclave-key:", key) }
	return enclave.Init(o)
}

func secrets(o *enclave.InitOptions, unseal string, newUnseal bool, newPrice string) (err error) {
	if newUnseal {
		o.SecretFile = unseal
		o.Secret, err = keystore.NewIdentity()
	} else {
		o.Secret, err = readSecret(unseal)
	}
	if err != nil || newPrice == "" {
		return err
	}
	o.PriceKey, err = priceKey(newPrice)
	return err
}

// priceKey makes the sandbox's price key: its private half belongs to the price
// signer, the enclave only ever sees the public one. A key that is there already
// is used: an earlier init may have ended between the two.
func priceKey(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		text, err = newPriceKey(path)
	}
	if err != nil {
		return "", fmt.Errorf("making the price key: %w", err)
	}
	raw, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil {
		return "", errors.New("the file of the price key holds something else")
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return "", errors.New("the file of the price key holds something else")
	}
	return wire.CompressP256(&key.PublicKey), nil
}

func newPriceKey(path string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	raw, err := key.Bytes()
	if err != nil {
		return nil, err
	}
	text := []byte(hex.EncodeToString(raw) + "\n")
	return text, enclave.WriteSecret(path, text)
}

func readSecret(path string) ([]byte, error) {
	if path == "-" {
		raw, err := io.ReadAll(io.LimitReader(os.Stdin, 64<<10))
		return bytes.TrimSpace(raw), err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the unseal secret: %w", err)
	}
	return bytes.TrimSpace(raw), nil
}
