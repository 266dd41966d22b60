package facilitator_test

import (
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

var (
	// buyerKey is the third key of the usual test mnemonic.
	buyerKey, _ = chain.ParseHex("0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a")
	buyer       = parse("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")
	seller      = parse("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
	gas         = parse("0x90F79bf6EB2c4f870365E785982E1f101E93b906")
	stranger    = parse("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
	usdc        = parse("0x036CbD53842c5426634e7929541eC2318f3dCF7e")
	now         = time.Unix(1_800_000_000, 0).UTC()
)

func parse(text string) evm.Address {
	a, err := evm.ParseAddress(text)
	if err != nil {
		panic(text)
	}
	return a
}

// scene is a payment before a judge, with all that a test may change of it.
type scene struct {
	version       int
	offer         map[string]any
	accepted      map[string]any // of version 2; nil is the offer
	network       string         // of the payload in version 1
	authorization *signed.Authorization
	permit        *signed.Permit2Transfer
	spender       evm.Address
	domain        signed.Domain
	sign          func(digest [32]byte) []byte
	model         *model
	change        func(r *x402.Request)
	judge         *facilitator.Judge
}

func accountSigns(digest [32]byte) []byte {
	sig, err := evm.Sign(buyerKey, digest)
	if err != nil {
		panic(err)
	}
	return signed.WriteSignature(sig)
}

// newScene is a payment of 0.01 USDC by a buyer who has a dollar: by EIP-3009 in version 2.
func newScene() *scene {
	domain := signed.Domain{Name: "USDC", Version: "2", ChainID: 84532, Contract: usdc}
	return &scene{
		version: 2,
		offer: map[string]any{
			"scheme": "exact", "network": "eip155:84532", "amount": "10000", "asset": usdc.String(),
			"payTo": seller.String(), "maxTimeoutSeconds": 60, "extra": map[string]any{"name": "USDC", "version": "2"},
		},
		authorization: &signed.Authorization{
			From: buyer, To: seller, Value: big.NewInt(10000), ValidAfter: new(big.Int),
			ValidBefore: big.NewInt(now.Unix() + 60), Nonce: [32]byte{1},
		},
		domain: domain, sign: accountSigns,
		model: &model{
			token: domain, time: now.Add(-time.Second),
			code: map[evm.Address]bool{
				usdc: true, evm.Permit2Address(): true, signed.ExactProxy(): true, signed.UptoProxy(): true,
			},
			balance:   map[evm.Address]int64{buyer: 1_000_000},
			allowance: map[evm.Address]int64{buyer: 1_000_000},
			used:      map[[32]byte]bool{}, bitmap: map[string]bool{}, walletTakes: map[[32]byte]bool{},
		},
	}
}

func (s *scene) v1() *scene {
	s.version, s.network = 1, "base-sepolia"
	s.offer["network"], s.offer["maxAmountRequired"] = "base-sepolia", s.offer["amount"]
	delete(s.offer, "amount")
	return s
}

func (s *scene) permit2() *scene {
	s.offer["extra"] = map[string]any{"assetTransferMethod": "permit2"}
	s.authorization, s.spender = nil, signed.ExactProxy()
	s.permit = &signed.Permit2Transfer{
		From: buyer, Token: usdc, Amount: big.NewInt(10000), Nonce: big.NewInt(513),
		Deadline: big.NewInt(now.Unix() + 60), To: seller, ValidAfter: new(big.Int),
	}
	return s
}

func (s *scene) upto() *scene {
	s.permit2()
	s.offer["scheme"] = "upto"
	s.offer["extra"] = map[string]any{"facilitatorAddress": gas.String()}
	s.permit.Facilitator, s.spender = gas, signed.UptoProxy()
	return s
}

// request signs the payment and writes it as JSON.
func (s *scene) request(t testing.TB) x402.Request {
	t.Helper()
	inner := map[string]any{}
	if a := s.authorization; a != nil {
		inner["signature"] = chain.Hex(s.sign(a.Digest(s.domain)))
		inner["authorization"] = map[string]any{
			"from": a.From.String(), "to": a.To.String(), "value": a.Value.String(),
			"validAfter":  a.ValidAfter.String(),
			"validBefore": a.ValidBefore.String(), "nonce": chain.Hex(a.Nonce[:]),
		}
	}
	if p := s.permit; p != nil {
		inner["signature"] = chain.Hex(s.sign(p.Digest(s.domain.ChainID)))
		witness := map[string]any{"to": p.To.String(), "validAfter": p.ValidAfter.String()}
		if p.Upto() {
			witness["facilitator"] = p.Facilitator.String()
		}
		inner["permit2Authorization"] = map[string]any{
			"permitted": map[string]any{"token": p.Token.String(), "amount": p.Amount.String()},
			"from":      p.From.String(),
			"spender":   s.spender.String(), "nonce": p.Nonce.String(), "deadline": p.Deadline.String(),
			"witness": witness,
		}
	}
	payload := map[string]any{"x402Version": s.version, "payload": inner}
	if s.version == 1 {
		payload["scheme"], payload["network"] = "exact", s.network
	} else if payload["accepted"] = s.accepted; s.accepted == nil {
		payload["accepted"] = s.offer
	}
	r := x402.Request{Version: s.version, Payload: write(t, payload), Requirements: write(t, s.offer)}
	if s.change != nil {
		s.change(&r)
	}
	return r
}

func write(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// judged makes the judge of the scene, once.
func (s *scene) judged(t testing.TB) *facilitator.Judge {
	t.Helper()
	if s.judge != nil {
		return s.judge
	}
	var err error
	s.judge, err = facilitator.New(map[uint64]facilitator.Chain{84532: s.model}, []evm.Address{gas},
		clock.Func(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	return s.judge
}

func (s *scene) verify(t testing.TB) x402.Verdict {
	t.Helper()
	v, err := s.judged(t).Verify(t.Context(), s.request(t))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
