package rpc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
)

// The parts of a mint, by where they begin. Behind the first 82 bytes Token-2022 has zeros up to a byte that says what
// the account is, and then extensions: a type and a length of two bytes each, and the data.
const (
	mintFreezer    = 46
	mintDecimals   = 44
	accountType    = 165
	mintExtensions = accountType + 1
	typeOfMint     = 1
	optionSize     = 4 + 32
)

// counted are the parts of extensions that change with each transfer, as the supply does, and say nothing of the
// issuer: the fees that the mint has kept back, in the clear and encrypted.
var counted = map[uint16]struct{ from, to int }{1: {64, 72}, 16: {65, 129}}

// Issuer is what one node says of a mint. No facts: there is none.
func (c *Client) Issuer(ctx context.Context, token string) ([]node.Fact, error) {
	mint, err := solana.ParseAddress(token)
	if err != nil {
		return nil, err
	}
	var a struct{ Value *wireAccount }
	err = c.call(ctx, &a, "getAccountInfo", mint.String(), options{"commitment": "finalized", "encoding": "base64"})
	if err != nil || a.Value == nil {
		return nil, err
	}
	program, data, err := a.Value.read()
	if err != nil {
		return nil, err
	}
	return issuerOf(program, data)
}

// issuerOf reads a mint's account.
func issuerOf(program solana.Address, data []byte) ([]node.Fact, error) {
	if len(data) < mintAccount || len(data) > mintAccount && (len(data) < mintExtensions ||
		data[accountType] != typeOfMint) {
		return nil, fmt.Errorf("%w: what lies at the address is no mint", ErrNode)
	}
	facts := []node.Fact{
		{Name: "program", Value: program.String()},
		{Name: "mint authority", Value: authority(data[:optionSize])},
		{Name: "freeze authority", Value: authority(data[mintFreezer : mintFreezer+optionSize])},
		{Name: "decimals", Value: strconv.Itoa(int(data[mintDecimals]))},
	}
	if len(data) == mintAccount {
		return facts, nil
	}
	extensions, err := extensionsOf(data[mintExtensions:])
	return append(facts, extensions...), err
}

// authority is an address that may be absent.
func authority(option []byte) string {
	if binary.LittleEndian.Uint32(option) == 0 {
		return "none"
	}
	return solana.Address(option[4:]).String()
}

// extensionsOf are a mint's extensions: the hash of each one's data, by its number in Token-2022.
func extensionsOf(data []byte) (facts []node.Fact, err error) {
	for len(data) >= 4 {
		kind, size := binary.LittleEndian.Uint16(data), int(binary.LittleEndian.Uint16(data[2:]))
		if kind == 0 { // what follows is not used
			break
		}
		if data = data[4:]; len(data) < size {
			return nil, fmt.Errorf("%w: an extension is longer than its mint", ErrNode)
		}
		value := bytes.Clone(data[:size])
		if c, is := counted[kind]; is && size >= c.to {
			clear(value[c.from:c.to])
		}
		sum := sha256.Sum256(value)
		facts = append(facts, node.Fact{
			Name: "extension " + strconv.Itoa(int(kind)), Value: hex.EncodeToString(sum[:]),
		})
		data = data[size:]
	}
	return facts, nil
}

// read is the program that an account belongs to, and its data.
func (w *wireAccount) read() (owner solana.Address, data []byte, err error) {
	owner, err = solana.ParseAddress(w.Owner)
	if err != nil || w.Lamports == nil || len(w.Data) != 2 || w.Data[1] != "base64" {
		return owner, nil, fmt.Errorf("%w: an account with parts missing", ErrNode)
	}
	if data, err = base64.StdEncoding.DecodeString(w.Data[0]); err != nil {
		return owner, nil, fmt.Errorf("%w: %w", ErrNode, err)
	}
	return owner, data, nil
}

// Issuer asks every node. Those that do not answer are left out, as long as one does.
func (n *Network) Issuer(ctx context.Context, token string) (facts []node.Fact, whole bool, err error) {
	all, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) ([]node.Fact, error) {
		return c.Issuer(ctx, token)
	})
	said := 0
	for i, one := range all {
		switch {
		case errs[i] != nil:
			continue
		case said > 0 && !slices.Equal(facts, one):
			return nil, false, node.ErrDisagree
		}
		facts = one
		said++
	}
	switch {
	case said == 0:
		return nil, false, errors.Join(append(errs, node.ErrNobody)...)
	case len(facts) == 0:
		return nil, false, fmt.Errorf("%w: there is no mint at %s", ErrNode, token)
	}
	return facts, said == len(all), nil
}
