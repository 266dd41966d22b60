package facilitator_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/x402/facilitator"
)

// model is a chain with one token, Permit2 and the two proxies of x402, by what their contracts do. It reads
// calldata by itself, so that a call that was built wrong does not run.
type model struct {
	token         signed.Domain
	noEIP3009     bool
	code          map[evm.Address]bool
	wallet        evm.Address       // takes the signatures of walletSigns, as ERC-1271
	walletTakes   map[[32]byte]bool // digests
	balance       map[evm.Address]int64
	allowance     map[evm.Address]int64 // for Permit2
	used          map[[32]byte]bool     // nonces of EIP-3009
	bitmap        map[string]bool       // nonces of Permit2
	time          time.Time
	outage        error // of every question
	refuse        bool  // every transfer, for no reason that can be asked for
	calls, coding int
}

var errModel = errors.New("the node does not answer")

func (m *model) Time(context.Context) (time.Time, error) { return m.time, m.outage }

func (m *model) Code(_ context.Context, at evm.Address) (bool, error) {
	m.coding++
	return m.code[at], m.outage
}

// words are the arguments of a call.
type words [][32]byte

func (w words) address(i int) evm.Address { return evm.Address(w[i][12:]) }
func (w words) number(i int) *big.Int     { return new(big.Int).SetBytes(w[i][:]) }

// bytes are those that stand at the offset in word i.
func (w words) bytes(i int) []byte {
	at := w.number(i).Int64() / 32
	n := w.number(int(at)).Int64()
	var all []byte
	for _, word := range w[at+1:] {
		all = append(all, word[:]...)
	}
	return all[:n]
}

func (m *model) Call(_ context.Context, c facilitator.Call) ([]byte, error) {
	m.calls++
	if m.outage != nil {
		return nil, m.outage
	}
	var w words
	for i := 4; i+32 <= len(c.Data); i += 32 {
		w = append(w, [32]byte(c.Data[i:]))
	}
	run := m.functions(c.To)[binary.BigEndian.Uint32(c.Data)]
	if run == nil {
		return nil, facilitator.ErrReverted
	}
	return run(c.From, w)
}

type function = func(from evm.Address, w words) ([]byte, error)

func (m *model) functions(at evm.Address) map[uint32]function {
	switch at {
	case m.token.Contract:
		all := map[uint32]function{
			0x70a08231: func(_ evm.Address, w words) ([]byte, error) { return number(m.balance[w.address(0)]), nil },
			0xdd62ed3e: func(_ evm.Address, w words) ([]byte, error) { return number(m.allowance[w.address(0)]), nil },
		}
		if !m.noEIP3009 {
			all[0x06fdde03] = func(evm.Address, words) ([]byte, error) { return text(m.token.Name), nil }
			all[0x54fd4d50] = func(evm.Address, words) ([]byte, error) { return text(m.token.Version), nil }
			all[0xe94a0102] = func(_ evm.Address, w words) ([]byte, error) { return truth(m.used[w[1]]), nil }
			all[0xe3ee160e], all[0xcf092995] = m.byParts, m.byBytes
		}
		return all
	case evm.Permit2Address():
		return map[uint32]function{0x4fe02b44: m.nonceBitmap}
	case signed.ExactProxy():
		return map[uint32]function{
			id("settle(((address,uint256),uint256,uint256),address,(address,uint256),bytes)"): m.exact,
		}
	case signed.UptoProxy():
		return map[uint32]function{
			id("settle(((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes)"): m.upto,
		}
	case m.wallet:
		return map[uint32]function{0x1626ba7e: func(_ evm.Address, w words) ([]byte, error) {
			if !m.walletTakes[w[0]] {
				return nil, facilitator.ErrReverted
			}
			return append([]byte{0x16, 0x26, 0xba, 0x7e}, make([]byte, 28)...), nil
		}}
	}
	return nil
}

func id(signature string) uint32 {
	sum := evm.Keccak256([]byte(signature))
	return binary.BigEndian.Uint32(sum[:])
}

func number(n int64) []byte { return big.NewInt(n).FillBytes(make([]byte, 32)) }

func truth(b bool) []byte {
	if b {
		return number(1)
	}
	return number(0)
}

func text(s string) []byte {
	return append(append(number(32), number(int64(len(s)))...), append([]byte(s), make([]byte, 32-len(s))...)...)
}

func (m *model) authorization(w words) signed.Authorization {
	return signed.Authorization{
		From: w.address(0), To: w.address(1), Value: w.number(2), ValidAfter: w.number(3), ValidBefore: w.number(4),
		Nonce: w[5],
	}
}

func (m *model) byParts(_ evm.Address, w words) ([]byte, error) {
	sig := append(append(append([]byte{}, w[7][:]...), w[8][:]...), byte(w.number(6).Int64()))
	return m.move(m.authorization(w), sig)
}

func (m *model) byBytes(_ evm.Address, w words) ([]byte, error) {
	return m.move(m.authorization(w), w.bytes(6))
}

func (m *model) move(a signed.Authorization, sig []byte) ([]byte, error) {
	now := big.NewInt(m.time.Unix())
	if m.refuse || m.used[a.Nonce] || now.Cmp(a.ValidAfter) <= 0 || now.Cmp(a.ValidBefore) >= 0 ||
		a.Value.Cmp(big.NewInt(m.balance[a.From])) > 0 || !m.signs(a.From, a.Digest(m.token), sig) {
		return nil, facilitator.ErrReverted
	}
	return nil, nil
}

func (m *model) signs(from evm.Address, digest [32]byte, raw []byte) bool {
	if m.code[from] {
		return from == m.wallet && m.walletTakes[digest]
	}
	sig, err := signed.ReadSignature(raw)
	return err == nil && evm.Verify(from, digest, sig) == nil
}

func (m *model) nonceBitmap(_ evm.Address, w words) ([]byte, error) {
	bitmap := new(big.Int)
	for bit := range 256 {
		n := new(big.Int).Add(new(big.Int).Lsh(w.number(1), 8), big.NewInt(int64(bit)))
		if m.bitmap[n.String()] {
			bitmap.SetBit(bitmap, bit, 1)
		}
	}
	return bitmap.FillBytes(make([]byte, 32)), nil
}

func (m *model) exact(_ evm.Address, w words) ([]byte, error) {
	return m.permit(signed.Permit2Transfer{
		Token: w.address(0), Amount: w.number(1), Nonce: w.number(2), Deadline: w.number(3), From: w.address(4),
		To: w.address(5), ValidAfter: w.number(6),
	}, w.number(1), w.bytes(7))
}

func (m *model) upto(from evm.Address, w words) ([]byte, error) {
	if from != w.address(7) {
		return nil, facilitator.ErrReverted
	}
	return m.permit(signed.Permit2Transfer{
		Token: w.address(0), Amount: w.number(1), Nonce: w.number(2), Deadline: w.number(3), From: w.address(5),
		To: w.address(6), Facilitator: w.address(7), ValidAfter: w.number(8),
	}, w.number(4), w.bytes(9))
}

func (m *model) permit(p signed.Permit2Transfer, charge *big.Int, sig []byte) ([]byte, error) {
	now := big.NewInt(m.time.Unix())
	if m.refuse || m.bitmap[p.Nonce.String()] || now.Cmp(p.Deadline) > 0 || now.Cmp(p.ValidAfter) < 0 ||
		charge.Cmp(p.Amount) > 0 || charge.Sign() == 0 || p.Token != m.token.Contract ||
		charge.Cmp(big.NewInt(m.balance[p.From])) > 0 || charge.Cmp(big.NewInt(m.allowance[p.From])) > 0 ||
		!m.signs(p.From, p.Digest(m.token.ChainID), sig) {
		return nil, facilitator.ErrReverted
	}
	return nil, nil
}
