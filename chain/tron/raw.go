package tron

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"
)

// Raw is what a key signs: a transaction without its signature.
type Raw struct {
	RefBytes   [2]byte // the end of the number of a recent block
	RefHash    [8]byte // of the middle of its id
	Expiration int64   // millisecond since 1970
	Timestamp  int64   // millisecond since 1970
	FeeLimit   int64   // sun

	Owner Address // who signs and pays
	// To gets TRX where there are no Data, and is the contract that is called where there are.
	To     Address
	Amount int64 // sun: what To gets, or what goes along with the call
	Data   []byte
}

// The types of contract, by their numbers.
const (
	transferContract = 1
	triggerContract  = 31
)

const typeURL = "type.googleapis.com/protocol."

// urls are the names by which a google.protobuf.Any says what it holds.
var urls = map[int64]string{
	transferContract: typeURL + "TransferContract",
	triggerContract:  typeURL + "TriggerSmartContract",
}

const (
	// Lifetime is from when a transaction is signed to its expiration, as Assemble writes it. A node takes one that
	// expires within a day.
	Lifetime = 10 * time.Minute
	// MaxFeeLimit is the highest fee_limit that nodes take, in sun: getMaxFeeLimit among the chain's parameters.
	MaxFeeLimit = 15_000_000_000
	// Activation is what an account costs in sun that a transfer of TRX is the first to name: 1 TRX and 0.1 TRX
	// (getCreateNewAccountFeeInSystemContract and getCreateAccountFee).
	Activation = 1_100_000

	signatureSize = 65
	maxInstant    = 1<<42 - 1 // in the year 2109; the last millisecond that takes six bytes
	maxData       = 128 << 10 // of a call; nodes take 500 KiB in all
	maxRaw        = maxData + 512
)

// Encode writes the one encoding of a transaction that a network could take.
func (t Raw) Encode() ([]byte, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.encode(), nil
}

func (t Raw) encode() []byte {
	b := appendField(nil, 1, t.RefBytes[:])
	b = appendField(b, 4, t.RefHash[:])
	b = appendNumber(b, 8, t.Expiration)
	b = appendField(b, 11, t.contract())
	b = appendNumber(b, 14, t.Timestamp)
	return appendNumber(b, 18, t.FeeLimit)
}

// contract writes type and parameter.
func (t Raw) contract() []byte {
	kind := t.kind()
	value := appendField(nil, 1, t.Owner.Bytes())
	value = appendField(value, 2, t.To.Bytes())
	value = appendNumber(value, 3, t.Amount)
	value = appendField(value, 4, t.Data)
	parameter := appendField(appendField(nil, 1, []byte(urls[kind])), 2, value)
	return appendField(appendNumber(nil, 1, kind), 2, parameter)
}

func (t Raw) kind() int64 {
	if len(t.Data) > 0 {
		return triggerContract
	}
	return transferContract
}

// Decode reads the one encoding of raw_data.
func Decode(raw []byte) (Raw, error) {
	if len(raw) > maxRaw {
		return Raw{}, refuse("raw_data", "%d bytes, more than %d", len(raw), maxRaw)
	}
	r := reader{rest: raw}
	t := Raw{
		RefBytes:   [2]byte(r.sized("ref_block_bytes", 1, 2)),
		RefHash:    [8]byte(r.sized("ref_block_hash", 4, 8)),
		Expiration: r.number("expiration", 8),
	}
	contract := r.bytes("contract", 11)
	t.Timestamp = r.number("timestamp", 14)
	t.FeeLimit = r.number("fee_limit", 18)
	if err := r.end("raw_data", rawNames); err != nil {
		return Raw{}, err
	}
	if err := t.readContract(contract); err != nil {
		return Raw{}, err
	}
	if err := t.check(); err != nil {
		return Raw{}, err
	}
	if !bytes.Equal(t.encode(), raw) {
		return Raw{}, refuse("raw_data", "is not in its one encoding")
	}
	return t, nil
}

// What Tron has, and what is not signed here.
var (
	rawNames = names{
		9: "auths", 10: "data, a memo,", 11: "a second contract", 12: "scripts",
	}
	contractNames = names{3: "contract.provider", 4: "contract.ContractName", 5: "contract.Permission_id"}
	callNames     = names{5: "contract.call_token_value", 6: "contract.token_id"}
)

func (t *Raw) readContract(contract []byte) error {
	r := reader{rest: contract}
	kind := r.number("contract.type", 1)
	parameter := r.bytes("contract.parameter", 2)
	if err := r.end("contract", contractNames); err != nil {
		return err
	}
	url, known := urls[kind]
	if !known {
		return refuse("contract.type", "%d: only transfers of TRX and calls of contracts are signed here", kind)
	}
	r = reader{rest: parameter}
	named := r.bytes("contract.parameter.type_url", 1)
	value := r.bytes("contract.parameter.value", 2)
	if err := r.end("contract.parameter", nil); err != nil {
		return err
	}
	if string(named) != url {
		return refuse("contract.parameter.type_url", "is not %s, as the type is", url)
	}
	return t.readValue(value, kind)
}

// readValue reads the fields that the two types number alike.
func (t *Raw) readValue(value []byte, kind int64) error {
	r := reader{rest: value}
	t.Owner = r.address("contract.owner_address", 1)
	t.To = r.address("contract.to_address", 2)
	t.Amount = r.number("contract.amount", 3)
	if kind == transferContract {
		return r.end("contract.parameter.value", nil)
	}
	t.Data = slices.Clone(r.bytes("contract.data", 4))
	if err := r.end("contract.parameter.value", callNames); err != nil {
		return err
	}
	if len(t.Data) == 0 {
		return refuse("contract.data", "is empty: TRX goes to a contract by a call of it only")
	}
	return nil
}

// check refuses what no network takes, whatever its state is.
func (t Raw) check() error {
	switch {
	case t.Expiration <= 0 || t.Expiration > maxInstant:
		return refuse("expiration", "%d is no millisecond of these years", t.Expiration)
	case t.Timestamp <= 0 || t.Timestamp > maxInstant:
		return refuse("timestamp", "%d is no millisecond of these years", t.Timestamp)
	case t.FeeLimit < 0 || t.FeeLimit > MaxFeeLimit:
		return refuse("fee_limit", "%d sun, more than %d", t.FeeLimit, int64(MaxFeeLimit))
	case t.Amount < 0:
		return refuse("contract.amount", "is negative")
	case len(t.Data) > maxData:
		return refuse("contract.data", "%d bytes", len(t.Data))
	case len(t.Data) > 0 && t.FeeLimit == 0:
		return refuse("fee_limit", "is not there: a call without one fails, and costs its bandwidth")
	case len(t.Data) == 0 && t.Amount == 0:
		return refuse("contract.amount", "is 0")
	case len(t.Data) == 0 && t.To == t.Owner:
		return refuse("contract.to_address", "is the owner")
	}
	return nil
}

// Digest is what the key signs, and the id of the transaction.
func (t Raw) Digest() [32]byte { return sha256.Sum256(t.encode()) }
