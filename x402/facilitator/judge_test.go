package facilitator_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

func TestVerifyGood(t *testing.T) {
	for name, s := range map[string]*scene{
		"eip3009": newScene(), "eip3009 in v1": newScene().v1(), "permit2": newScene().permit2(),
		"upto": newScene().upto(),
	} {
		if v := s.verify(t); !v.Valid || v.InvalidReason != "" || v.Payer != buyer.String() {
			t.Errorf("%s: %+v", name, v)
		}
		if s.model.calls != 1 {
			t.Errorf("%s: %d calls were made for a good payment", name, s.model.calls)
		}
	}
}

func extra(s *scene, name string, value any) { s.offer["extra"].(map[string]any)[name] = value }

// Each reason, by every way to it.
func TestAgents_VerifyReasons(t *testing.T) {
	eip3009, v1 := newScene, func() *scene { return newScene().v1() }
	permit2, upto := func() *scene { return newScene().permit2() }, func() *scene { return newScene().upto() }
	later := func(d int64) *big.Int { return big.NewInt(now.Unix() + d) }
	other := func(name string, value any) func(s *scene) {
		return func(s *scene) {
			s.accepted = map[string]any{}
			for n, v := range s.offer {
				s.accepted[n] = v
			}
			s.accepted[name] = value
		}
	}
	for i, c := range []struct {
		reason string
		make   func() *scene
		change func(s *scene)
	}{
		{x402.ReasonInvalidVersion, eip3009, func(s *scene) { s.change = func(r *x402.Request) { r.Version = 3 } }},
		{x402.ReasonInvalidVersion, eip3009, func(s *scene) { s.change = func(r *x402.Request) { r.Version = 1 } }},
		{x402.ReasonInvalidPayload, eip3009, func(s *scene) { s.change = func(r *x402.Request) { r.Payload = nil } }},
		{x402.ReasonInvalidPayload, eip3009, func(s *scene) { s.permit = newScene().permit2().permit }},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) {
			s.change = func(r *x402.Request) { r.Requirements = []byte(`{"a":1,"a":1}`) }
		}},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) { s.offer["asset"] = "USDC" }},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) { s.offer["payTo"] = "merchant" }},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) { s.offer["payTo"] = evm.Address{}.String() }},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) { s.offer["payTo"] = s.offer["asset"] }},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) { s.offer["payTo"] = evm.Permit2Address().String() }},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) { s.offer["amount"] = "1e4" }},
		{x402.ReasonInvalidRequirements, eip3009, func(s *scene) { s.offer["amount"] = "0" }},
		{x402.ReasonUnsupportedScheme, eip3009, func(s *scene) { s.offer["scheme"] = "batch-settlement" }},
		{x402.ReasonUnsupportedScheme, v1, func(s *scene) { s.offer["scheme"] = "upto" }},
		{x402.ReasonInvalidScheme, eip3009, other("scheme", "upto")},
		{x402.ReasonUptoScheme, upto, other("scheme", "exact")},
		{x402.ReasonNetwork, eip3009, other("network", "eip155:8453")},
		{x402.ReasonNetwork, v1, func(s *scene) { s.network = "base" }},
		{x402.ReasonUptoNetwork, upto, other("network", "eip155:8453")},
		{x402.ReasonInvalidNetwork, eip3009, func(s *scene) { s.offer["network"] = "eip155:8453" }},
		{x402.ReasonInvalidNetwork, eip3009, func(s *scene) { s.offer["network"] = "solana:mainnet" }},
		{x402.ReasonUnsupportedPayload, eip3009, func(s *scene) { extra(s, "assetTransferMethod", "permit2") }},
		{x402.ReasonUnsupportedPayload, eip3009, func(s *scene) { extra(s, "assetTransferMethod", "erc7710") }},
		{x402.ReasonUnsupportedPayload, permit2, func(s *scene) { extra(s, "assetTransferMethod", "eip3009") }},
		{x402.ReasonMissingDomain, eip3009, func(s *scene) { s.offer["extra"] = map[string]any{"name": "USDC"} }},
		{x402.ReasonMissingDomain, eip3009, func(s *scene) { s.offer["extra"] = nil }},

		{x402.ReasonRecipient, eip3009, func(s *scene) { s.authorization.To = stranger }},
		{x402.ReasonValue, eip3009, func(s *scene) { s.authorization.Value = big.NewInt(9999) }},
		{x402.ReasonValue, eip3009, func(s *scene) { s.authorization.Value = big.NewInt(10001) }},
		{x402.ReasonValidBefore, eip3009, func(s *scene) { s.authorization.ValidBefore = later(5) }},
		{x402.ReasonValidBefore, eip3009, func(s *scene) { s.model.time = now.Add(55 * time.Second) }},
		{x402.ReasonValidAfter, eip3009, func(s *scene) { s.authorization.ValidAfter = later(1) }},
		{x402.ReasonAssetNotDeployed, eip3009, func(s *scene) { delete(s.model.code, usdc) }},
		{x402.ReasonSignature, eip3009, func(s *scene) { s.authorization.From = stranger }},
		{x402.ReasonSignature, eip3009, func(s *scene) { s.domain.ChainID = 8453 }},
		{x402.ReasonSignature, eip3009, func(s *scene) { s.sign = func([32]byte) []byte { return nil } }},
		{x402.ReasonSignature, eip3009, func(s *scene) {
			s.sign = func(d [32]byte) []byte { return highS(accountSigns(d)) }
		}},
		{x402.ReasonSignature, eip3009, func(s *scene) {
			s.sign = func(d [32]byte) []byte { sig := accountSigns(d); sig[64] -= 27; return sig }
		}},
		{x402.ReasonSignature, eip3009, func(s *scene) { // a wallet that does not take it
			s.authorization.From, s.model.wallet, s.model.code[stranger] = stranger, stranger, true
		}},
		{x402.ReasonUndeployedWallet, eip3009, func(s *scene) {
			s.authorization.From = stranger
			s.sign = func(d [32]byte) []byte { return wrap(accountSigns(d)) }
		}},
		{x402.ReasonNonceUsed, eip3009, func(s *scene) { s.model.used[s.authorization.Nonce] = true }},
		{x402.ReasonBalance, eip3009, func(s *scene) { s.model.balance[buyer] = 9999 }},
		{x402.ReasonNotSupported, eip3009, func(s *scene) { s.model.noEIP3009 = true }},
		{x402.ReasonTokenName, eip3009, func(s *scene) { extra(s, "name", "USD Coin"); s.domain.Name = "USD Coin" }},
		{x402.ReasonTokenVersion, eip3009, func(s *scene) { extra(s, "version", "1"); s.domain.Version = "1" }},
		{x402.ReasonSimulation, eip3009, func(s *scene) { s.model.refuse = true }},

		{x402.ReasonPermit2Spender, permit2, func(s *scene) { s.spender = stranger }},
		{x402.ReasonPermit2Spender, permit2, func(s *scene) {
			s.permit.Facilitator, s.spender = gas, signed.UptoProxy()
		}},
		{x402.ReasonPermit2Recipient, permit2, func(s *scene) { s.permit.To = stranger }},
		{x402.ReasonPermit2Amount, permit2, func(s *scene) { s.permit.Amount = big.NewInt(10001) }},
		{x402.ReasonPermit2Token, permit2, func(s *scene) { s.permit.Token = stranger }},
		{x402.ReasonPermit2Deadline, permit2, func(s *scene) { s.permit.Deadline = later(5) }},
		{x402.ReasonPermit2NotYet, permit2, func(s *scene) { s.permit.ValidAfter = later(1) }},
		{x402.ReasonAssetNotDeployed, permit2, func(s *scene) { delete(s.model.code, usdc) }},
		{x402.ReasonPermit2Proxy, permit2, func(s *scene) { delete(s.model.code, signed.ExactProxy()) }},
		{x402.ReasonPermit2Proxy, upto, func(s *scene) { delete(s.model.code, signed.UptoProxy()) }},
		{x402.ReasonPermit2Signature, permit2, func(s *scene) { s.domain.ChainID = 8453 }},
		{x402.ReasonPermit2Nonce, permit2, func(s *scene) { s.model.bitmap["513"] = true }},
		{x402.ReasonPermit2Balance, permit2, func(s *scene) { s.model.balance[buyer] = 9999 }},
		{x402.ReasonPermit2Allowance, permit2, func(s *scene) { s.model.allowance[buyer] = 9999 }},
		{x402.ReasonPermit2Simulation, permit2, func(s *scene) { s.model.refuse = true }},
		{x402.ReasonUptoFacilitator, upto, func(s *scene) { s.permit.Facilitator = stranger }},
		{x402.ReasonUptoFacilitator, upto, func(s *scene) {
			s.permit.Facilitator, s.spender = evm.Address{}, signed.ExactProxy()
		}},
	} {
		s := c.make()
		c.change(s)
		if v := s.verify(t); v.Valid || v.InvalidReason != c.reason {
			t.Errorf("%d: %+v, want %s", i, v, c.reason)
		}
		// What is not valid is not settled, for the same reason.
		_, receipt, send, err := s.judged(t).Plan(t.Context(), s.request(t))
		if err != nil || send || receipt.Success || receipt.Transaction != "" || receipt.ErrorReason == "" {
			t.Errorf("%d: %s: send %v, %+v, %v", i, c.reason, send, receipt, err)
		}
	}
}

// The edges of time: 6 seconds have to be left, and the first second counts.
func TestVerifyTime(t *testing.T) {
	for left, want := range map[int64]bool{5: false, 6: true, 7: true} {
		s := newScene()
		s.authorization.ValidBefore = big.NewInt(now.Unix() + left)
		if v := s.verify(t); v.Valid != want {
			t.Errorf("%d seconds are left: %+v", left, v)
		}
		s = newScene().permit2()
		s.permit.Deadline = big.NewInt(now.Unix() + left)
		if v := s.verify(t); v.Valid != want {
			t.Errorf("permit2, %d seconds are left: %+v", left, v)
		}
	}
	s := newScene()
	s.authorization.ValidAfter = big.NewInt(now.Unix() - 600) // as buyers of version 1 have it
	if v := s.verify(t); !v.Valid {
		t.Errorf("%+v", v)
	}
}

// A deployed wallet pays by ERC-1271, also with the wrapping of ERC-6492 still on.
func TestVerifyWallet(t *testing.T) {
	for name, sign := range map[string]func([32]byte) []byte{
		"its own":   func([32]byte) []byte { return bytes.Repeat([]byte{7}, 100) },
		"wrapped":   func([32]byte) []byte { return wrap(bytes.Repeat([]byte{7}, 100)) },
		"65 bytes":  func([32]byte) []byte { return bytes.Repeat([]byte{7}, 65) },
		"a 27 of v": func([32]byte) []byte { return append(bytes.Repeat([]byte{7}, 64), 27) },
	} {
		for method, s := range map[string]*scene{"eip3009": newScene(), "permit2": newScene().permit2()} {
			s.sign, s.model.wallet, s.model.code[stranger] = sign, stranger, true
			s.model.balance[stranger], s.model.allowance[stranger] = 1_000_000, 1_000_000
			if s.permit != nil {
				s.permit.From = stranger
				s.model.walletTakes[s.permit.Digest(s.domain.ChainID)] = true
			} else {
				s.authorization.From = stranger
				s.model.walletTakes[s.authorization.Digest(s.domain)] = true
			}
			if v := s.verify(t); !v.Valid || v.Payer != stranger.String() {
				t.Errorf("%s, %s: %+v", name, method, v)
			}
		}
	}
}

// An outage is no verdict, at whichever question it comes.
func TestVerifyOutage(t *testing.T) {
	s := newScene()
	s.model.outage = errModel
	v, err := s.judged(t).Verify(t.Context(), s.request(t))
	if !errors.Is(err, errModel) || v.Valid || v.InvalidReason != x402.ReasonUnexpectedVerifyError {
		t.Errorf("%+v %v", v, err)
	}
	_, receipt, send, err := s.judged(t).Plan(t.Context(), s.request(t))
	if !errors.Is(err, errModel) || send || receipt.ErrorReason != x402.ReasonUnexpectedSettleError {
		t.Errorf("%+v %v", receipt, err)
	}
}

// A contract that was seen is not looked for again, and one that was not seen is.
func TestContractsAreRemembered(t *testing.T) {
	s := newScene()
	delete(s.model.code, usdc)
	if v := s.verify(t); v.InvalidReason != x402.ReasonAssetNotDeployed {
		t.Fatalf("%+v", v)
	}
	s.model.code[usdc] = true
	for range 3 {
		if v := s.verify(t); !v.Valid {
			t.Fatalf("%+v", v)
		}
	}
	if s.model.coding != 2 {
		t.Errorf("%d looks for code, want 2", s.model.coding)
	}
}

func TestNewNeedsNetworkAndSigner(t *testing.T) {
	chains := map[uint64]facilitator.Chain{1: &model{}}
	for _, err := range []error{
		second(facilitator.New(nil, []evm.Address{gas}, nil)), second(facilitator.New(chains, nil, nil)),
	} {
		if err == nil {
			t.Error("a facilitator of nothing was made")
		}
	}
}

func second(_ *facilitator.Judge, err error) error { return err }

// wrap is ERC-6492's form of a signature, for a wallet that the stranger would deploy.
func wrap(inner []byte) []byte {
	word := func(n int) []byte { return fmt.Appendf(nil, "%s", big.NewInt(int64(n)).FillBytes(make([]byte, 32))) }
	padded := append(bytes.Clone(inner), make([]byte, (32-len(inner)%32)%32)...)
	all := append(append(make([]byte, 12), stranger[:]...), append(word(96), word(128)...)...)
	all = append(append(append(all, word(0)...), word(len(inner))...), padded...)
	return append(all, bytes.Repeat([]byte{0x64, 0x92}, 16)...)
}

// highS is the other signature that the curve's equation holds for.
func highS(sig []byte) []byte {
	order, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
	s := new(big.Int).Sub(order, new(big.Int).SetBytes(sig[32:64]))
	return append(append(bytes.Clone(sig[:32]), s.FillBytes(make([]byte, 32))...), 27+28-sig[64])
}
