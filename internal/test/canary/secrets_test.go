package canary_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cosmos/go-bip39"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/enclave"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
)

// cageSigner takes in all secrets of the signer, which must have stopped: what
// its folder and the unseal secret give.
func (p *platform) cageSigner() {
	p.t.Helper()
	secret, err := os.ReadFile(p.unsealFile())
	p.must(err)
	p.cage.Add("unseal secret", bytes.TrimSpace(secret))
	price, err := os.ReadFile(p.priceFile())
	p.must(err)
	raw, err := hex.DecodeString(strings.TrimSpace(string(price)))
	p.must(err)
	p.cage.Add("price key", raw)
	sealer, err := keystore.ParseSecret(bytes.TrimSpace(secret))
	p.must(err)
	g, err := enclave.LoadGenesis(p.enclaveDir, sealer)
	p.must(err)
	p.cage.Add("identity key", g.IdentityKey)
	p.cage.Add("key that seals seeds", g.KEK)
	p.cage.Add("journal key", g.JournalKey)
	sealed, accounts := p.readJournal(g)
	if len(sealed["seed"]) == 0 || len(sealed["agent secret"]) < 2 || len(accounts) == 0 {
		p.t.Fatal("the journal has no seed, no agents or no account")
	}
	for _, s := range sealed["agent secret"] {
		p.cageAgent(open(p.t, g, s))
	}
	entropies := map[string][]byte{}
	for _, s := range sealed["seed"] {
		entropies[s.owner] = open(p.t, g, s)
		p.cageSeed(entropies[s.owner])
	}
	for _, a := range accounts {
		p.cageAccount(entropies[a.WalletID], a)
	}
}

// record is a sealed seed of a wallet, or secret of an agent.
type record struct {
	organization, owner, kind string
	sealed                    []byte
}

// readJournal gives the records by their kind.
func (p *platform) readJournal(g enclave.Genesis) (sealed map[string][]record, accounts []wire.Account) {
	sealed = map[string][]record{}
	o := journal.Options{Dir: p.enclaveDir, Binding: string(g.Environment) + "|" + g.Hash(), MustExist: true}
	copy(o.Key[:], g.JournalKey)
	j, err := journal.Open(o, func(_ journal.Position, payload []byte) error {
		var e decide.Event
		if err := json.Unmarshal(payload, &e); err != nil {
			return err
		}
		if e.Wallet != nil {
			sealed["seed"] = append(sealed["seed"], record{e.OrganizationID, e.Wallet.ID, "seed", e.Wallet.Sealed})
		}
		if e.Agent != nil && e.Agent.Sealed != nil { // one that was never activated has none
			sealed["agent secret"] = append(sealed["agent secret"], record{
				e.OrganizationID, e.Agent.ID, "agent secret", e.Agent.Sealed,
			})
		}
		accounts = append(accounts, e.Accounts...)
		return nil
	})
	p.must(err)
	p.must(j.Close())
	return sealed, accounts
}

// open opens a record as the keystore does, which gives none away itself.
func open(t *testing.T, g enclave.Genesis, s record) []byte {
	t.Helper()
	var context []byte
	for _, part := range []string{"railkit keystore", string(g.Environment), s.organization, s.owner, s.kind} {
		context = append(binary.BigEndian.AppendUint32(context, uint32(len(part))), part...)
	}
	context = append(context, s.sealed[0])
	block, err := aes.NewCipher(g.KEK)
	if err != nil {
		t.Fatal(err)
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	entropy, err := box.Open(nil, nil, s.sealed[1:], context)
	if err != nil {
		t.Fatal(err)
	}
	return entropy
}

// cageAgent takes in a secret that agents sign with, as random bytes and as text.
func (p *platform) cageAgent(entropy []byte) {
	text := wire.AgentSecretPrefix + base64.RawURLEncoding.EncodeToString(entropy)
	if !slices.Contains(p.agentSecrets, text) {
		p.t.Fatal("no agent signed with the secret in the journal")
	}
	p.cage.Add("agent's entropy", entropy)
	p.cage.AddText("agent's secret", text)
}

func (p *platform) cageSeed(entropy []byte) {
	words, err := bip39.NewMnemonic(entropy)
	p.must(err)
	p.cage.Add("wallet's entropy", entropy)
	p.cage.AddText("mnemonic", words)
	p.cage.Add("seed", bip39.NewSeed(words, ""))
}

// cageAccount derives an account's private key, and makes sure that it is the
// one whose public key the signer names: another one would be a useless canary.
func (p *platform) cageAccount(entropy []byte, a wire.Account) {
	words, err := bip39.NewMnemonic(entropy)
	p.must(err)
	path, err := keystore.ParsePath(a.Curve, a.Path)
	p.must(err)
	key := derive(bip39.NewSeed(words, ""), path)
	if got := hex.EncodeToString(secp256k1.PrivKeyFromBytes(key).PubKey().SerializeCompressed()); got != a.PublicKey {
		p.t.Fatalf("derived %s, the account's key is %s", got, a.PublicKey)
	}
	p.cage.Add("private key", key)
}

// derive is BIP-32.
func derive(seed []byte, path []uint32) []byte {
	node := mac([]byte("Bitcoin seed"), seed)
	for _, step := range path {
		message := append([]byte{0}, node[:32]...)
		if step < 1<<31 {
			message = secp256k1.PrivKeyFromBytes(node[:32]).PubKey().SerializeCompressed()
		}
		next := mac(node[32:], binary.BigEndian.AppendUint32(message, step))
		var parent, tweak secp256k1.ModNScalar
		parent.SetByteSlice(node[:32])
		tweak.SetByteSlice(next[:32])
		child := parent.Add(&tweak).Bytes()
		node = append(child[:], next[32:]...)
	}
	return node[:32]
}

func mac(key, message []byte) []byte {
	h := hmac.New(sha512.New, key)
	h.Write(message)
	return h.Sum(nil)
}

// cageStamps takes in what the passkeys made: each stamp as a whole, and its parts.
func (p *platform) cageStamps(stamps []string) {
	for _, s := range stamps {
		var parts map[string]string
		p.must(json.Unmarshal([]byte(s), &parts))
		p.cage.AddText("stamp", s)
		for _, name := range []string{"signature", "authenticatorData", "clientDataJson"} {
			raw, err := base64.RawURLEncoding.DecodeString(parts[name])
			p.must(err)
			p.cage.Add("stamp's "+name, raw)
		}
	}
}

// everywhere are the places in which nothing of it may be.
func (p *platform) everywhere() []string {
	found := p.cage.Find("an answer", p.answers.text)
	for _, folder := range []string{p.home, p.serverDir} {
		in, err := p.cage.FindInFolder(folder)
		p.must(err)
		found = append(found, in...)
	}
	cores, err := filepath.Glob(filepath.Join(p.home, "core*"))
	p.must(err)
	for _, core := range cores {
		found = append(found, "a core file: "+filepath.Base(core))
	}
	return append(found, p.inDatabase()...)
}
