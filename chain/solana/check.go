package solana

import (
	"errors"
	"fmt"
)

// Check refuses a message that no network takes: what Solana calls sanitizing. It says nothing of the state of the
// chain.
func (m Message) Check() error {
	if m.Version < Legacy || m.Version > V1 {
		return refuse("version", "%d is not known; legacy, 0 and 1 are", m.Version)
	}
	for _, check := range []func() error{
		m.checkForm, m.checkHeader, m.checkKeys, m.checkLookups, m.checkInstructions, m.checkConfig, m.checkSize,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkForm refuses parts that the version has no place for.
func (m Message) checkForm() error {
	if m.Version != V0 && len(m.Lookups) > 0 {
		return refuse("lookups", "a %s message has none", m.Version.Name())
	}
	if m.Version != V1 && m.Config != (Config{}) {
		return refuse("config", "a %s message has none", m.Version.Name())
	}
	return nil
}

// checkHeader wants somebody who pays: a first key that signs and is written to.
func (m Message) checkHeader() error {
	switch h := m.Header; {
	case h.ReadOnlySigners >= h.Signers:
		return refuse("header.readOnlySigners", "%d of %d signers, which leaves nobody to pay", h.ReadOnlySigners,
			h.Signers)
	case int(h.Signers) > len(m.Keys):
		return refuse("header.signers", "%d of %d keys", h.Signers, len(m.Keys))
	case int(h.Signers)+int(h.ReadOnly) > len(m.Keys):
		return refuse("header.readOnly", "%d of the %d keys that do not sign", h.ReadOnly, len(m.Keys)-int(h.Signers))
	case h.Signers > maxSigners:
		return refuse("header.signers", "%d, more than %d", h.Signers, maxSigners)
	}
	return nil
}

func (m Message) checkKeys() error {
	most := maxKeys
	if m.Version == V1 {
		most = maxKeysV1
	}
	if n := m.places(); n > most {
		return refuse("keys", "%d with those of lookup tables, more than %d", n, most)
	}
	seen := make(map[Address]bool, len(m.Keys))
	for i, k := range m.Keys {
		if seen[k] {
			return refuse(at("keys", i, ""), "%s is there twice", k)
		}
		seen[k] = true
	}
	return nil
}

// checkLookups refuses a table that adds nothing, and one key twice from one table.
func (m Message) checkLookups() error {
	type key struct {
		table Address
		index uint8
	}
	seen := map[key]bool{}
	for i, l := range m.Lookups {
		if len(l.Written)+len(l.Read) == 0 {
			return refuse(at("lookups", i, ""), "names no key of its table")
		}
		for _, list := range [][]uint8{l.Written, l.Read} {
			for _, index := range list {
				if k := (key{l.Table, index}); seen[k] {
					return refuse(at("lookups", i, ""), "key %d of the table is there twice", index)
				} else {
					seen[k] = true
				}
			}
		}
	}
	return nil
}

func (m Message) checkInstructions() error {
	if n := len(m.Instructions); n > maxInstructions {
		return refuse("instructions", "%d, more than %d", n, maxInstructions)
	}
	for i, c := range m.Instructions {
		if err := m.checkInstruction(i, c); err != nil {
			return err
		}
	}
	return nil
}

// checkInstruction wants a program among the keys of the message itself that is not who pays.
func (m Message) checkInstruction(i int, c Compiled) error {
	if p := int(c.Program); p == 0 || p >= len(m.Keys) {
		return refuse(at("instructions", i, "program"), "key %d of %d: it is one of the message, and not who pays", p,
			len(m.Keys))
	}
	for j, a := range c.Accounts {
		if int(a) >= m.places() {
			return refuse(at("instructions", i, at("accounts", j, "")), "key %d of %d", a, m.places())
		}
	}
	if n := len(c.Accounts); n > 255 {
		return refuse(at("instructions", i, "accounts"), "%d, more than 255", n)
	}
	if n := len(c.Data); n > maxSizeV1 {
		return refuse(at("instructions", i, "data"), "%d bytes", n)
	}
	return nil
}

// checkConfig knows the one value with bounds of its own.
func (m Message) checkConfig() error {
	if h := m.Config.HeapBytes; h != nil && (*h < minHeap || *h > maxHeap || *h%1024 != 0) {
		return refuse("config.heapBytes", "%d: it is 32 to 256 whole KiB", *h)
	}
	return nil
}

const (
	minHeap = 32 << 10
	maxHeap = 256 << 10
)

// checkSize counts the signatures too: the network counts the whole transaction.
func (m Message) checkSize() error {
	size, most := len(m.encode())+int(m.Header.Signers)*signatureSize, maxSizeV1
	if m.Version != V1 {
		size, most = size+1, maxSize // one byte for the number of signatures, of which 12 fit
	}
	if size > most {
		return refuse("message", "%d bytes with its signatures, more than %d", size, most)
	}
	return nil
}

// FieldError refuses bytes, or a message that cannot be written, and names the field: "instructions[2].accounts[1]".
type FieldError struct{ Field, Problem string }

func (e FieldError) Error() string { return e.Field + ": " + e.Problem }

func refuse(field, format string, values ...any) error {
	return FieldError{field, fmt.Sprintf(format, values...)}
}

// at names the i-th element of a list, or a field of it.
func at(list string, i int, field string) string {
	if field == "" {
		return fmt.Sprintf("%s[%d]", list, i)
	}
	return fmt.Sprintf("%s[%d].%s", list, i, field)
}

// The ways in which signatures are wrong.
var (
	ErrSignature = errors.New("the signature is not by the key of this address over this message")
	ErrNoSigner  = errors.New("the message does not ask this address to sign")
	ErrSigned    = errors.New("the slot of this signer is not zeroed")
)
