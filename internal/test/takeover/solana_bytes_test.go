package takeover

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
)

// key is an address of Solana. Signed transactions are read here from the description of their form, with nothing of
// chain/solana: a mistake of the signer's is not made a second time. (The test below makes some with it.)
type key [32]byte

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// keyOf reads base58 of 32 bytes; what is none is no key that anybody has.
func keyOf(text string) (k key) {
	n := new(big.Int)
	for _, c := range text {
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(strings.IndexRune(alphabet, c))))
	}
	if n.Sign() < 0 || n.BitLen() > 256 {
		return key{0xff}
	}
	return key(n.FillBytes(k[:]))
}

var (
	coinProgram  = key{}
	tokenProgram = keyOf("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
	opensProgram = keyOf("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
	limitProgram = keyOf("ComputeBudget111111111111111111111111111111")
	memoProgram  = keyOf("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
	// checksProgram are those that check signatures, each of which costs as much as one of the transaction.
	checksProgram = map[key]bool{
		keyOf("Ed25519SigVerify111111111111111111111111111"): true,
		keyOf("KeccakSecp256k11111111111111111111111111111"): true,
		keyOf("Secp256r1SigVerify1111111111111111111111111"): true,
	}
)

// ofOwner reports whether a token account is the one that an owner's tokens of a mint are in. The network takes the
// highest number that makes no key; here any will do.
func ofOwner(account, owner, mint key) bool {
	for n := range 256 {
		seeds := slices.Concat(owner[:], tokenProgram[:], mint[:], []byte{byte(n)}, opensProgram[:])
		if sha256.Sum256(append(seeds, "ProgramDerivedAddress"...)) == account {
			return true
		}
	}
	return false
}

// solMoves is coins or tokens on their way. Tokens are between token accounts.
type solMoves struct {
	mint     key // of tokens; zeros: coins
	from, to key
	by       key // who signs for it
	amount   uint64
	decimals byte
}

// pays reports whether an owner gets it.
func (m solMoves) pays(owner key) bool {
	return m.mint == key{} && m.to == owner || m.mint != key{} && ofOwner(m.to, owner, m.mint)
}

// solSigned is a signed transaction.
type solSigned struct {
	raw, message []byte
	slots        []byte // of the signatures, in raw
	signers      int
	keys         []key
	units, price uint64
	priority     uint64 // lamports, of v1
	moves        []solMoves
	opened       []solMoves // accounts that are opened: to is the account, by the owner
	understood   bool       // it does no more than that
	named        []key      // all that an instruction names
	memos        []string
	checked      int  // signatures that programs check
	lasts        bool // it advances a nonce, or has accounts that are in tables on the chain
}

// walk takes bytes from the front.
type walk struct {
	rest  []byte
	short bool
}

func (w *walk) take(n int) []byte {
	if n > len(w.rest) {
		w.short = true
		return make([]byte, n)
	}
	taken := w.rest[:n:n]
	w.rest = w.rest[n:]
	return taken
}

func (w *walk) one() int { return int(w.take(1)[0]) }

// length is written in groups of seven bits.
func (w *walk) length() (n int) {
	for shift := 0; shift < 21; shift += 7 {
		b := w.one()
		n |= b & 0x7f << shift
		if b < 0x80 {
			break
		}
	}
	return n
}

func (w *walk) keys(n int) (all []key) {
	for range n {
		all = append(all, key(w.take(32)))
	}
	return all
}

// readSolana reads a signed transaction of any form.
func readSolana(raw []byte) (x solSigned, err error) {
	x.raw, x.understood = raw, true
	w := &walk{rest: raw}
	if len(raw) > 1 && raw[0] == 0x81 {
		x.signers = int(raw[1])
		at := max(0, len(raw)-64*x.signers)
		x.message, x.slots, w.rest = raw[:at], raw[at:], raw[:at]
		x.readLast(w)
	} else {
		x.signers = w.length()
		x.slots = w.take(64 * x.signers)
		x.message = w.rest
		x.readFirst(w)
	}
	twice := len(x.keys) != len(slices.Compact(slices.SortedFunc(slices.Values(x.keys), func(a, b key) int {
		return bytes.Compare(a[:], b[:])
	})))
	if w.short || len(w.rest) > 0 || len(x.keys) < x.signers || x.signers == 0 || twice {
		return x, errors.New("it signs what is no transaction")
	}
	return x, nil
}

// readFirst reads a legacy or v0 message, which stands behind its signatures.
func (x *solSigned) readFirst(w *walk) {
	versioned := len(w.rest) > 0 && w.rest[0] == 0x80
	if versioned {
		w.take(1)
	}
	w.take(3)
	x.keys = w.keys(w.length())
	w.take(32)
	for range w.length() {
		program, accounts := w.one(), w.take(w.length())
		x.does(program, accounts, w.take(w.length()))
	}
	if versioned && w.length() > 0 { // lookup tables
		x.understood, x.lasts, w.rest = false, true, nil
	}
}

// readLast reads a message of v1, which stands before its signatures.
func (x *solSigned) readLast(w *walk) {
	w.take(4)
	mask := binary.LittleEndian.Uint32(w.take(4))
	w.take(32)
	n, keys := w.one(), w.one()
	x.keys = w.keys(keys)
	if mask&3 == 3 {
		x.priority = binary.LittleEndian.Uint64(w.take(8))
	}
	if mask&4 != 0 {
		x.units = uint64(binary.LittleEndian.Uint32(w.take(4)))
	}
	for bit := uint32(8); bit <= 16; bit *= 2 {
		if mask&bit != 0 {
			w.take(4)
		}
	}
	heads := w.take(4 * n)
	for ; len(heads) > 0; heads = heads[4:] {
		accounts := w.take(int(heads[1]))
		x.does(int(heads[0]), accounts, w.take(int(binary.LittleEndian.Uint16(heads[2:]))))
	}
}

// does reads an instruction, as far as anybody here has ever meant one.
func (x *solSigned) does(program int, places, data []byte) {
	var a []key
	for _, p := range append([]byte{byte(program)}, places...) {
		if int(p) >= len(x.keys) {
			x.understood = false
			return
		}
		a = append(a, x.keys[p])
	}
	number := func(from int) uint64 {
		return binary.LittleEndian.Uint64(append(slices.Clone(data[from:]), make([]byte, 8)...))
	}
	x.named = append(x.named, a[1:]...)
	if checksProgram[a[0]] && len(data) > 0 {
		x.checked += int(data[0])
	}
	x.lasts = x.lasts || a[0] == coinProgram && len(data) >= 4 && number(0)&0xffffffff == 4
	switch of := a[0]; {
	case of == coinProgram && len(data) == 12 && number(0)&0xffffffff == 2 && len(a) == 3:
		x.moves = append(x.moves, solMoves{from: a[1], to: a[2], by: a[1], amount: number(4)})
	case of == tokenProgram && len(data) == 10 && data[0] == 12 && len(a) >= 5:
		x.moves = append(x.moves, solMoves{a[2], a[1], a[3], a[4], number(1), data[9]})
	case of == opensProgram && len(data) == 1 && data[0] == 1 && len(a) == 7 && ofOwner(a[2], a[3], a[4]):
		x.opened = append(x.opened, solMoves{mint: a[4], from: a[1], to: a[2], by: a[3]})
	case of == limitProgram && len(data) == 5 && data[0] == 2:
		x.units = number(1)
	case of == limitProgram && len(data) == 9 && data[0] == 3:
		x.price = number(1)
	case of == limitProgram && len(data) == 5 && data[0] == 4:
	case of == memoProgram && len(a) == 1:
		x.memos = append(x.memos, string(data))
	default:
		x.understood = false
	}
}

// fee is what who pays is charged at most, in lamports.
func (x solSigned) fee() *big.Int {
	fee := new(big.Int).Mul(new(big.Int).SetUint64(x.units), new(big.Int).SetUint64(x.price))
	fee.Add(fee, big.NewInt(999_999)).Quo(fee, big.NewInt(1_000_000))
	return fee.Add(fee, new(big.Int).SetUint64(x.priority)).Add(fee, big.NewInt(int64(5000*(x.signers+x.checked))))
}

// feeOnly reports whether a key pays for what another one may do, and is in nothing of it.
func (x solSigned) feeOnly(by key) bool {
	return x.keys[0] == by && x.signers <= 2 && !x.lasts && !slices.Contains(x.named, by)
}

// signedBy are the keys whose signatures are in their slots.
func (x solSigned) signedBy() (all []key) {
	for i, k := range x.keys[:x.signers] {
		if ed25519.Verify(k[:], x.message, x.slots[64*i:64*i+64]) {
			all = append(all, k)
		}
	}
	return all
}

// unsigned is what it was before the signature of a key was attached.
func (x solSigned) unsigned(by key) []byte {
	at, raw := len(x.message), slices.Clone(x.raw)
	if x.raw[0] != 0x81 {
		at = len(x.raw) - len(x.message) - len(x.slots)
	}
	if i := slices.Index(x.keys[:x.signers], by); i >= 0 {
		copy(raw[at+64*i:], make([]byte, 64))
	}
	return raw
}

// What the signer can make of a payment is read as that payment, and as no other.
func TestSolanaIsReadAnew(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	own := solana.Address(public)
	for _, i := range []solana.Intent{
		{Source: own, Destination: solShop, Amount: 7, MaxFee: 10_000},
		{Source: own, Destination: solShop, Amount: 7, MaxFee: 10_000, Mint: solUSDC, Decimals: 6},
		{Source: own, Destination: solShop, Amount: 7, MaxFee: 10_000, Mint: solUSDC, Decimals: 6, MaxRent: 9},
	} {
		for _, v := range []solana.Version{solana.V0, solana.V1} {
			m, err := i.Message(solana.Terms{
				Version: v, Blockhash: named("block"), Units: 50_000, LoadedBytes: 200_000, Priority: 1000,
				Rent: i.MaxRent,
			})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			tx, err := solana.Unsigned(m).Attach(own, solana.Signature(ed25519.Sign(private, raw)))
			if err != nil {
				t.Fatal(err)
			}
			readAs(t, tx, i)
		}
	}
}

func readAs(t *testing.T, tx solana.Transaction, i solana.Intent) {
	t.Helper()
	signed, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	unsigned, err := solana.Unsigned(tx.Message).Encode()
	if err != nil {
		t.Fatal(err)
	}
	own := key(i.Source)
	x, err := readSolana(signed)
	if err != nil || !slices.Equal(x.signedBy(), []key{own}) || !bytes.Equal(x.unsigned(own), unsigned) ||
		x.fee().Int64() != 6000 {
		t.Fatalf("%s: %+v, %v", tx.Version.Name(), x, err)
	}
	token := chain.Token{}
	if i.Mint != (solana.Address{}) {
		token = chain.Token{Address: i.Mint.String(), Decimals: int(i.Decimals)}
	}
	call, err := solana.Family{}.Transfer(token, i.Destination.String(), new(big.Int).SetUint64(i.Amount))
	if err != nil {
		t.Fatal(err)
	}
	p := wire.SignIntentParams{
		To: call.To, Value: call.Value.String(), Data: chain.Hex(call.Data), GasLimit: "50000", MaxTotalFee: "6000",
		MaxRent: "9",
	}
	if !x.isIntent(own, p) || !x.goesTo(own, []string{p.To}) || x.goesTo(own, []string{solRobber.String()}) {
		t.Errorf("%s: %+v is not %+v", tx.Version.Name(), x, p)
	}
	for what, change := range map[string]func(*wire.SignIntentParams){
		"another payee": func(p *wire.SignIntentParams) { p.To = solRobber.String() },
		"more":          func(p *wire.SignIntentParams) { p.Value += "0" },
		"a lower fee":   func(p *wire.SignIntentParams) { p.MaxTotalFee = "5999" },
		"fewer units":   func(p *wire.SignIntentParams) { p.GasLimit = "49999" },
	} {
		q := p
		change(&q)
		if x.isIntent(own, q) {
			t.Errorf("%s: %+v is also %+v", what, x, q)
		}
	}
}
