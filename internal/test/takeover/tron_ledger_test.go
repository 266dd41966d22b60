package takeover

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/enclave/wire"
)

// tronBook is what the owners of accounts on Tron keep: each body has one transaction, and each transaction one body.
type tronBook struct {
	purses map[common.Address]purse
	made   map[string]string // fingerprint -> id
	under  map[string]string // id -> fingerprint
}

func newTronBook() tronBook {
	return tronBook{map[common.Address]purse{}, map[string]string{}, map[string]string{}}
}

func (l *ledger) tronPurse(address common.Address, p purse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tron.purses[address] = p
}

// tronAddress reads base58check; what is none is an address that nobody has.
func tronAddress(text string) common.Address {
	n := new(big.Int)
	for _, c := range text {
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(bytes.IndexByte([]byte(alphabet), byte(c)))))
	}
	if n.Sign() < 0 || n.BitLen() > 200 {
		return common.Address{0xff}
	}
	return common.Address(n.FillBytes(make([]byte, 25))[1:21])
}

// fields are those of a message of protocol buffers by number, each as often as it is there. Nothing of chain/tron is
// in here: a mistake of the signer's is not made a second time.
type fields map[uint64][][]byte

func readFields(raw []byte) (fields, error) {
	all := fields{}
	for len(raw) > 0 {
		tag, n := binary.Uvarint(raw)
		if n <= 0 {
			return nil, errors.New("it signs what is no message")
		}
		value, size := binary.Uvarint(raw[n:])
		if size <= 0 {
			return nil, errors.New("it signs what is no message")
		}
		raw = raw[n+size:]
		kept := binary.AppendUvarint(nil, value)
		if tag&7 == 2 {
			if value > uint64(len(raw)) {
				return nil, errors.New("it signs what is no message")
			}
			kept, raw = raw[:value], raw[value:]
		}
		all[tag>>3] = append(all[tag>>3], kept)
	}
	return all, nil
}

func (f fields) bytes(n uint64) []byte {
	if len(f[n]) == 0 {
		return nil
	}
	return f[n][0]
}

func (f fields) number(n uint64) int64 { v, _ := binary.Uvarint(f.bytes(n)); return int64(v) }

// within reports whether a message has these fields at most, each once.
func (f fields) within(known ...uint64) bool {
	for n, all := range f {
		if len(all) != 1 || !slices.Contains(known, n) {
			return false
		}
	}
	return true
}

// tronSigned is a signed transaction, as far as anybody here has ever meant one.
type tronSigned struct {
	raw              []byte
	by, owner, to    common.Address
	value, limit     int64
	data             []byte
	ends             int64
	transfers, calls bool
}

func readTron(signed []byte) (x tronSigned, err error) {
	outer, err := readFields(signed)
	if err != nil {
		return x, err
	}
	x.raw = outer.bytes(1)
	signature, hash := slices.Clone(outer.bytes(2)), sha256.Sum256(x.raw)
	if len(signature) != 65 || len(outer[2]) != 1 {
		return x, errors.New("it has not one signature")
	}
	signature[64] -= 27
	public, err := crypto.SigToPub(hash[:], signature)
	if err != nil {
		return x, err
	}
	x.by = crypto.PubkeyToAddress(*public)
	raw, err := readFields(x.raw)
	if err != nil {
		return x, err
	}
	contract, err := readFields(raw.bytes(11))
	if err != nil {
		return x, err
	}
	parameter, err := readFields(contract.bytes(2))
	if err != nil {
		return x, err
	}
	value, err := readFields(parameter.bytes(2))
	if err != nil {
		return x, err
	}
	if !raw.within(1, 4, 8, 11, 14, 18) || !contract.within(1, 2) || !parameter.within(1, 2) ||
		!value.within(1, 2, 3, 4) {
		return x, errors.New("it does more than anybody meant")
	}
	x.ends, x.limit = raw.number(8), raw.number(18)
	x.owner, x.to = common.BytesToAddress(value.bytes(1)), common.BytesToAddress(value.bytes(2))
	x.value, x.data = value.number(3), value.bytes(4)
	url := "type.googleapis.com/protocol."
	x.transfers = contract.number(1) == 1 && string(parameter.bytes(1)) == url+"TransferContract"
	x.calls = contract.number(1) == 31 && string(parameter.bytes(1)) == url+"TriggerSmartContract"
	return x, nil
}

func (l *ledger) sawTron(fp string, t wire.Transaction) error {
	b := l.tron
	before, also := b.made[fp], b.under[t.TxHash]
	b.made[fp], b.under[t.TxHash] = t.TxHash, fp
	switch {
	case before != "" && before != t.TxHash:
		return fmt.Errorf("one body has the transactions %s and %s", before, t.TxHash)
	case also != "" && also != fp:
		return fmt.Errorf("two bodies are told of the transaction %s", t.TxHash)
	case before != "":
		return nil
	}
	x, err := readTron(common.FromHex(t.SignedTransaction))
	if err != nil {
		return err
	}
	p, honest := b.purses[x.by]
	id := sha256.Sum256(x.raw)
	switch {
	case !honest:
		return errors.New("it is signed by nobody")
	case x.owner != x.by || !x.transfers && !x.calls || hex.EncodeToString(id[:]) != t.TxHash:
		return errors.New("it is another's, or nothing that anybody means")
	case x.ends > l.now().Add(10*time.Minute).UnixMilli():
		return errors.New("it can be sent for longer than ten minutes")
	}
	return l.tronWarrant(p, x)
}

func (l *ledger) tronWarrant(p purse, x tronSigned) error {
	s := l.societies[p.org]
	for _, policy := range s.policies {
		if to := policy.Rules.AllowedDestinations; policy.WalletID == p.wallet && len(to) > 0 &&
			!slices.ContainsFunc(to, func(a string) bool { return tronAddress(a) == x.paid() }) {
			return errNot("to an allowed destination")
		}
		if most := policy.Rules.MaxValueUSD; policy.WalletID == p.wallet && most != "" &&
			sum(big.NewInt(x.burns()), market["TRX"], 6).Uint64() > dollars(most) {
			return errNot("within the most that one may cost")
		}
		if d := policy.Rules.Delegation; policy.WalletID == p.wallet && d != nil && d.AnyRequest &&
			slices.ContainsFunc(d.AllowedDestinations, func(a string) bool { return tronAddress(a) == x.paid() }) {
			return nil
		}
	}
	err := errors.New("nobody agreed to it")
	for fp, raw := range l.bodies {
		body, ok := strict(raw)
		if !ok || body.OrganizationID != p.org || !x.is(body) {
			continue
		}
		if err = l.consented(s, fp, body, time.Now(), false); err == nil {
			return nil
		}
	}
	return err
}

// burns is what it may take of the coin, beside its bytes: a transfer of it opens an account.
func (x tronSigned) burns() int64 {
	if x.transfers {
		return x.value + 1_100_000
	}
	return x.value + x.limit
}

// paid is who gets what is moved: of TRX, or of tokens by a plain transfer; else nobody.
func (x tronSigned) paid() common.Address {
	if x.transfers {
		return x.to
	}
	if len(x.data) == 68 && x.value == 0 && bytes.HasPrefix(x.data, []byte{0xa9, 5, 0x9c, 0xbb, 0, 0, 0, 0}) {
		return common.BytesToAddress(x.data[16:36])
	}
	return common.Address{}
}

// is reports whether a body is about this very transaction.
func (x tronSigned) is(b wire.Body) bool {
	if b.Type == wire.SignTransaction {
		p, ok := decode[wire.SignTransactionParams](b.Parameters)
		return ok && tronAddress(p.SignWith) == x.by && bytes.Equal(common.FromHex(p.UnsignedTransaction), x.raw)
	}
	p, ok := decode[wire.SignIntentParams](b.Parameters)
	gas, err := strconv.ParseInt(p.GasLimit, 10, 64)
	most, also := strconv.ParseInt(p.MaxTotalFee, 10, 64)
	return ok && b.Type == wire.SignIntent && err == nil && also == nil && p.Chain == "tron" && p.Replaces == nil &&
		tronAddress(p.SignWith) == x.by && tronAddress(p.To) == x.to && p.Value == strconv.FormatInt(x.value, 10) &&
		bytes.Equal(common.FromHex(p.Data), x.data) && x.limit <= min(gas, most)
}
