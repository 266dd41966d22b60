package evm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrTypedData is a message that is not EIP-712 in the one form that is read here.
var ErrTypedData = errors.New("invalid typed data")

func badTyped(why string) error { return fmt.Errorf("%w: %s", ErrTypedData, why) }

// Bounds of typed data. What anybody can read is far below.
const (
	maxTyped       = 64 << 10 // bytes of JSON
	maxTypedTypes  = 64
	maxTypedDepth  = 12 // structs and arrays within each other
	maxTypedValues = 512
	maxSafeNumber  = 1<<53 - 1 // what all JSON readers read alike
)

// TypedData is a message of EIP-712 that was read.
type TypedData struct {
	Digest   [32]byte // what is signed
	ChainID  uint64
	Contract Address  // verifyingContract, zero where the domain has none
	Domain   string   // in one line
	Primary  string   // name of the message's type
	Fields   []string // "path: value" of all values, in order; text is quoted

	form   string // the message's type with all that it refers to
	values typedValues
}

// typedDocument is the JSON of eth_signTypedData_v4.
type typedDocument struct {
	Types       map[string][]typedMember `json:"types"`
	PrimaryType string                   `json:"primaryType"`
	Domain      jsontext.Value           `json:"domain"`
	Message     jsontext.Value           `json:"message"`
}

type typedMember struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// ParseTypedData reads the JSON of eth_signTypedData_v4 and hashes it, as ethers and
// viem do. A whole number, the chain's too, is a JSON number, decimal text or 0x hex:
// 84532, "84532" and "0x14a34" are the same. It refuses whatever two readers could take
// for two things: a member twice, missing or unknown, a JSON number beyond 2^53, another
// domain than the standard's, a domain without a chain.
func ParseTypedData(raw []byte) (TypedData, error) {
	if len(raw) > maxTyped {
		return TypedData{}, badTyped("it is too large")
	}
	var doc typedDocument
	if err := json.Unmarshal(raw, &doc, json.RejectUnknownMembers(true)); err != nil {
		return TypedData{}, badTyped("it is not strict JSON of types, primaryType, domain and message")
	}
	types, err := readTypes(doc.Types)
	if err == nil && types[domainType] == nil {
		types[domainType], err = domainFields(doc.Domain)
	}
	if err != nil {
		return TypedData{}, err
	}
	if doc.PrimaryType == domainType || types[doc.PrimaryType] == nil {
		return TypedData{}, badTyped("primaryType is not among the types")
	}
	return types.read(doc)
}

func (s typedTypes) read(doc typedDocument) (d TypedData, err error) {
	if err := s.checkDomain(); err != nil {
		return d, err
	}
	domain := typedReader{types: s, values: map[string]string{}}
	separator, err := domain.structure(domainType, doc.Domain, "", 0)
	if err != nil {
		return d, err
	}
	message := typedReader{types: s, values: map[string]string{}}
	hash, err := message.structure(doc.PrimaryType, doc.Message, "", 0)
	if err != nil {
		return d, err
	}
	d = TypedData{
		Digest: Keccak256([]byte("\x19\x01"), separator[:], hash[:]), Domain: strings.Join(domain.fields, ", "),
		Primary: doc.PrimaryType, Fields: message.fields, form: s.form(doc.PrimaryType), values: message.values,
	}
	if d.ChainID, err = strconv.ParseUint(domain.values["chainId"], 10, 64); err != nil || d.ChainID == 0 ||
		d.ChainID > maxSafeNumber {
		return TypedData{}, badTyped("domain.chainId is not a whole number of at least 1")
	}
	if text, ok := domain.values["verifyingContract"]; ok {
		d.Contract, err = ParseAddress(text)
	}
	return d, err
}
