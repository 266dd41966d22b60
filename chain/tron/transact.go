package tron

import (
	"encoding/hex"
	"errors"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
)

// TransactionType is the family's.
func (Family) TransactionType() string { return "TRANSACTION_TYPE_TRON" }

// Encodings are the two types of contract that are read.
func (Family) Encodings() string { return "Tron raw_data of TransferContract or TriggerSmartContract" }

// MaxGas is the highest fee_limit. A unit of execution is here a sun that is burnt: what stands in the bytes is the
// most that a call may burn, and neither how much energy that is nor what energy costs.
func (Family) MaxGas() uint64 { return MaxFeeLimit }

// Effects tells what a transfer of TRX or a call of a contract does.
func (Family) Effects(n chain.Network, from string, c chain.Call) []chain.Effect {
	_, err := ParseAddress(from)
	_, also := ParseAddress(c.To)
	if value := orZero(c.Value); err != nil || also != nil || value.Sign() < 0 || !value.IsInt64() {
		return []chain.Effect{{Kind: chain.UnknownCall, From: from, Contract: c.To}}
	}
	return effectsOf(n, from, c)
}

// CheckIntent refuses what no terms make a transaction of, and payees of whom nobody has the key.
func (f Family) CheckIntent(n chain.Network, i chain.Intent) error {
	for _, e := range f.Effects(n, i.From, i.Call) {
		if err := f.CheckPayee(e.To); err != nil {
			return refuse("contract.to_address", "%s", err)
		}
	}
	_, err := f.Assemble(n, i, chain.Terms{Recent: &chain.Recent{
		Blockhash: hex.EncodeToString(make([]byte, refSize)), Units: min(i.Gas, MaxFeeLimit), Expires: maxInstant,
	}})
	return err
}

// Assemble makes the one transaction of an intent. Its timestamp is Lifetime before its expiration. Units are the
// fee_limit of a call; a transfer of TRX has none.
func (Family) Assemble(_ chain.Network, i chain.Intent, t chain.Terms) (chain.Tx, error) {
	raw, err := rawOf(i)
	if err != nil {
		return chain.Tx{}, err
	}
	if err := raw.under(t.Recent, i.Gas); err != nil {
		return chain.Tx{}, err
	}
	if err := raw.check(); err != nil {
		return chain.Tx{}, err
	}
	return raw.neutral(), nil
}

// rawOf is an intent without terms.
func rawOf(i chain.Intent) (t Raw, err error) {
	if t.Owner, err = ParseAddress(i.From); err != nil {
		return t, err
	}
	if t.To, err = ParseAddress(i.To); err != nil {
		return t, err
	}
	value := orZero(i.Value)
	if !value.IsInt64() {
		return t, refuse("contract.amount", "is more than there can be")
	}
	if i.Rent != 0 {
		return t, refuse("rent", "is part of the fee here")
	}
	t.Amount, t.Data = value.Int64(), i.Data
	return t, nil
}

// The recent block that a transaction names, in hex: the end of its number, and of its id.
const refSize = 2 + 8

// under puts an intent under terms.
func (t *Raw) under(r *chain.Recent, gas uint64) error {
	if r == nil || r.Version != "" || r.LoadedBytes != 0 || r.Priority != 0 || r.Rent != 0 {
		return refuse("terms", "are not those of Tron")
	}
	ref, err := hex.DecodeString(r.Blockhash)
	if err != nil || len(ref) != refSize || hex.EncodeToString(ref) != r.Blockhash {
		return refuse("blockhash", "is not 20 hex digits in lower case: ref_block_bytes and ref_block_hash")
	}
	if r.Expires <= lifetimeMs || r.Expires > maxInstant {
		return refuse("expires", "%d is no millisecond of these years", r.Expires)
	}
	t.RefBytes, t.RefHash = [2]byte(ref), [8]byte(ref[2:])
	t.Expiration, t.Timestamp = r.Expires, r.Expires-lifetimeMs
	if len(t.Data) == 0 {
		return nil // no limit holds what a new account costs
	}
	if r.Units == 0 || r.Units > min(gas, MaxFeeLimit) {
		return refuse("units", "%d sun: 1 to %d", r.Units, min(gas, MaxFeeLimit))
	}
	t.FeeLimit = int64(r.Units)
	return nil
}

const lifetimeMs = int64(Lifetime / time.Millisecond)

// MaxDataBytes is the bandwidth of the transaction with the longest numbers.
func (Family) MaxDataBytes(_ chain.Network, i chain.Intent, _ *big.Int) int {
	t, err := rawOf(i)
	if err != nil {
		return maxRaw
	}
	t.Expiration, t.Timestamp = maxInstant, maxInstant
	if len(t.Data) > 0 {
		t.FeeLimit = MaxFeeLimit
	}
	return t.bandwidth()
}

// resultSize is what a node adds to the bytes of a transaction for its result.
const resultSize = 64

// bandwidth is for how many bytes a node charges.
func (t Raw) bandwidth() int {
	signed := appendField(appendField(nil, 1, t.encode()), 2, make([]byte, signatureSize))
	return len(signed) + resultSize
}

// maxFee is what a transaction burns at most, beside its bandwidth: what its energy may cost, or, of a transfer of TRX,
// an account that it is the first to name. No limit holds that, and the bytes do not tell whether the account is there.
func (t Raw) maxFee() int64 {
	if len(t.Data) == 0 {
		return Activation
	}
	return t.FeeLimit
}

// neutral is the transaction as other packages see it.
func (t Raw) neutral() chain.Tx {
	fee, digest := t.maxFee(), t.Digest()
	return chain.Tx{
		Call: chain.Call{To: t.To.String(), Value: big.NewInt(t.Amount), Data: t.Data},
		Terms: chain.Terms{
			Fee: chain.Fee{Max: new(big.Int), Priority: new(big.Int)},
			Recent: &chain.Recent{
				Blockhash: hex.EncodeToString(append(t.RefBytes[:], t.RefHash[:]...)),
				Units:     uint64(fee), Expires: t.Expiration,
			},
		},
		Gas: uint64(fee), MaxFee: big.NewInt(fee), Plain: t.plain(), Unsigned: t.encode(), Payload: digest[:],
		DataBytes: t.bandwidth(), Signers: []string{t.Owner.String()},
	}
}

// plain reports whether Assemble makes such ones.
func (t Raw) plain() bool {
	return t.Timestamp == t.Expiration-lifetimeMs && (len(t.Data) > 0 || t.FeeLimit == 0)
}

// DecodeUnsigned reads raw_data.
func (Family) DecodeUnsigned(raw []byte) (chain.Tx, error) {
	t, err := Decode(raw)
	if err != nil {
		return chain.Tx{}, err
	}
	return t.neutral(), nil
}

// DecodeSigned reads what is broadcast. Whoever signed it, the bytes name its owner: it is his.
func (Family) DecodeSigned(raw []byte, from string) (chain.Tx, []byte, error) {
	t, err := DecodeSigned(raw)
	if err != nil {
		return chain.Tx{}, nil, err
	}
	if from != "" && from != t.Owner.String() {
		return chain.Tx{}, nil, ErrSignature
	}
	return t.neutral(), t.Signature[:], nil
}

// Attach reads the unsigned bytes again: they alone are what is signed, and by their owner.
func (Family) Attach(tx chain.Tx, from string, signature []byte) ([]byte, error) {
	t, err := Decode(tx.Unsigned)
	if err != nil {
		return nil, err
	}
	if from != t.Owner.String() || len(signature) != signatureSize || signature[signatureSize-1] > 1 {
		return nil, ErrSignature
	}
	return Signed{t, [signatureSize]byte(signature)}.Encode()
}

// ID is the hash of raw_data, where the owner has signed it: the network names nothing else.
func (Family) ID(signed []byte) string {
	t, err := DecodeSigned(signed)
	if err != nil || t.Verify() != nil {
		return ""
	}
	return t.ID()
}

// CheckID wants a hash.
func (Family) CheckID(id string) error {
	if raw, err := hex.DecodeString(id); err != nil || len(raw) != 32 {
		return errors.New("must be a transaction's hash: 64 hex digits")
	}
	return nil
}

var _ chain.Family = Family{}

// Sponsored is not known here: a transaction has one signer, who pays its fee.
func (Family) Sponsored(chain.Network, chain.SponsoredTransfer) (chain.Tx, error) {
	return chain.Tx{}, errors.New("on Tron who sends a transaction pays its fee")
}
