package evm

import "bytes"

// DecodeUnsigned reads a transaction that is to be signed: EIP-155's nine
// fields with the chain id and two zeros, or a typed payload. Some libraries
// write a typed payload with an empty signature; that is read too, and written
// again without it. Everything else has exactly one encoding.
func DecodeUnsigned(raw []byte) (Tx, error) {
	tx, r, err := decodeFields(raw)
	if err != nil {
		return Tx{}, err
	}
	if tx.Type == Legacy {
		if !r.more() {
			return Tx{}, ErrUnprotected // six fields, as before EIP-155
		}
		tx.ChainID = r.uint64()
		err = readNoSignature(&r, 2)
	} else if r.more() {
		err = readNoSignature(&r, 3)
	}
	if err != nil {
		return Tx{}, err
	}
	return tx, tx.Validate()
}

// readNoSignature reads n zeros and the end of the list.
func readNoSignature(r *rlpReader, n int) error {
	signed := false
	for range n {
		signed = len(r.number(32)) > 0 || signed
	}
	if err := r.end(); err != nil {
		return err
	}
	if signed {
		return ErrAlreadySigned
	}
	return nil
}

// DecodeSigned reads a transaction as it is broadcast. Whether the signature is
// of anybody who matters, Recover tells.
func DecodeSigned(raw []byte) (Tx, Signature, error) {
	tx, r, err := decodeFields(raw)
	if err != nil {
		return Tx{}, Signature{}, err
	}
	v := r.uint64()
	var sig Signature
	readScalar(&r, &sig.R)
	readScalar(&r, &sig.S)
	if err := r.end(); err != nil {
		return Tx{}, Signature{}, err
	}
	if tx.ChainID, sig.V, err = splitV(tx, v); err != nil {
		return Tx{}, Signature{}, err
	}
	if err := sig.check(); err != nil {
		return Tx{}, Signature{}, err
	}
	return tx, sig, tx.Validate()
}

func readScalar(r *rlpReader, dst *[32]byte) {
	b := r.number(len(dst))
	copy(dst[len(dst)-len(b):], b)
}

// splitV parts EIP-155's v into the chain id and the parity.
func splitV(tx Tx, v uint64) (id uint64, parity byte, err error) {
	if tx.Type == Legacy {
		if v == 27 || v == 28 {
			return 0, 0, ErrUnprotected
		}
		if v < 35 {
			return 0, 0, ErrSignature
		}
		return (v - 35) / 2, byte((v - 35) % 2), nil
	}
	if v > 1 {
		return 0, 0, ErrSignature
	}
	return tx.ChainID, byte(v), nil
}

// decodeFields reads what all forms of the type begin with, and leaves the
// reader where they part.
func decodeFields(raw []byte) (Tx, rlpReader, error) {
	tx, body, err := splitType(raw)
	if err != nil {
		return Tx{}, rlpReader{}, err
	}
	outer := rlpReader{rest: body}
	r := outer.list()
	if err := outer.end(); err != nil {
		return Tx{}, rlpReader{}, err
	}
	if tx.Type != Legacy {
		tx.ChainID = r.uint64()
	}
	tx.Nonce = r.uint64()
	if tx.Type == DynamicFee {
		tx.MaxPriorityFeePerGas = r.big()
		tx.MaxFeePerGas = r.big()
	} else {
		tx.GasPrice = r.big()
	}
	tx.GasLimit = r.uint64()
	tx.To = readTo(&r)
	tx.Value = r.big()
	tx.Data = bytes.Clone(r.bytes())
	if tx.Type != Legacy {
		tx.AccessList = readAccessList(&r)
	}
	return tx, r, r.err
}

// splitType tells the type. A legacy transaction is a bare list, and a list's
// first byte is no type.
func splitType(raw []byte) (tx Tx, body []byte, err error) {
	switch {
	case len(raw) == 0:
		return Tx{}, nil, malformed("no bytes")
	case len(raw) > maxRawSize:
		return Tx{}, nil, ErrTooLarge
	case raw[0] >= 0xc0:
		return Tx{Type: Legacy}, raw, nil
	case raw[0] == 1 || raw[0] == 2:
		return Tx{Type: Type(raw[0])}, raw[1:], nil
	case raw[0] == 3:
		return Tx{}, nil, ErrBlobType
	case raw[0] == 4:
		return Tx{}, nil, ErrSetCodeType
	case raw[0] >= 0x80:
		return Tx{}, nil, malformed("a string where a transaction was expected")
	}
	return Tx{}, nil, ErrUnsupportedType
}

func readTo(r *rlpReader) *Address {
	b := r.bytes()
	if r.err != nil || len(b) == 0 {
		return nil
	}
	if len(b) != len(Address{}) {
		r.fail(malformed("an address of another length than 20"))
		return nil
	}
	to := Address(b)
	return &to
}

// readAccessList leaves the length to Validate: the input's size bounds it here.
func readAccessList(r *rlpReader) []AccessTuple {
	var list []AccessTuple
	tuples := r.list()
	for tuples.more() {
		list = append(list, readAccessTuple(&tuples))
	}
	if tuples.err != nil {
		r.fail(tuples.err)
	}
	return list
}

func readAccessTuple(r *rlpReader) AccessTuple {
	var t AccessTuple
	tuple := r.list()
	tuple.fixed(t.Address[:])
	keys := tuple.list()
	for keys.more() {
		var k [32]byte
		keys.fixed(k[:])
		t.StorageKeys = append(t.StorageKeys, k)
	}
	if keys.err != nil {
		tuple.fail(keys.err)
	}
	if err := tuple.end(); err != nil {
		r.fail(err)
	}
	return t
}
