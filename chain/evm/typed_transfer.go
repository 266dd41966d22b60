package evm

import (
	"errors"
	"math/big"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
)

// The whole texts of the types that the proxies have signed.
const (
	typedExact = "PermitWitnessTransferFrom" + typedWitness + "Witness witness)" + typedPermitted +
		"Witness(address to,uint256 validAfter)"
	typedUpto = "PermitWitnessTransferFrom" + typedWitness + "Witness witness)" + typedPermitted +
		"Witness(address to,address facilitator,uint256 validAfter)"
)

// typedProxied reads a transfer of Permit2's for a proxy: what moves goes to the witness. For any other spender it is
// an allowance, since nobody knows what that one does with the witness.
func typedProxied(proxy Address) func(*reading, call, typedValues) {
	return func(r *reading, c call, m typedValues) {
		if m.address("spender") != proxy {
			typedSingle("permitted")(r, c, m)
			return
		}
		r.fungible(c, transferred(c.from, m.address("witness.to")), m.address("permitted.token"),
			m.number("permitted.amount"))
	}
}

// SignedTransfer writes the typed data by which an account lets whoever hands it in move an amount of a token: by
// EIP-3009 where the token has it, or by Permit2 and a proxy of x402.
func (Family) SignedTransfer(n chain.Network, t chain.SignedTransfer) (string, error) {
	var doc typedTransferDocument
	switch {
	case t.Method == chain.EIP3009 && t.Token.DomainName != "":
		doc = authorized(n, t)
	case t.Method == chain.Permit2:
		doc = permitted(n, t)
	default:
		return "", errors.New("the token has no such transfer")
	}
	raw, err := json.Marshal(doc, json.Deterministic(true))
	return string(raw), err
}

type typedTransferDocument struct {
	Types       map[string][]typedMember `json:"types"`
	PrimaryType string                   `json:"primaryType"`
	Domain      map[string]any           `json:"domain"`
	Message     map[string]any           `json:"message"`
}

func authorized(n chain.Network, t chain.SignedTransfer) typedTransferDocument {
	const primary = "TransferWithAuthorization"
	return typedTransferDocument{
		Types: map[string][]typedMember{primary: {
			{"from", "address"}, {"to", "address"}, {"value", "uint256"}, {"validAfter", "uint256"},
			{"validBefore", "uint256"}, {"nonce", "bytes32"},
		}},
		PrimaryType: primary,
		Domain: map[string]any{
			"name": t.Token.DomainName, "version": t.Token.DomainVersion,
			"chainId": n.ChainID, "verifyingContract": t.Token.Address,
		},
		Message: map[string]any{
			"from": t.From, "to": t.To, "value": t.Amount.String(), "validAfter": "0",
			"validBefore": strconv.FormatInt(t.Ends, 10), "nonce": chain.Hex(t.Nonce[:]),
		},
	}
}

func permitted(n chain.Network, t chain.SignedTransfer) typedTransferDocument {
	const primary = "PermitWitnessTransferFrom"
	spender, members := exactProxy, []typedMember{{"to", "address"}, {"validAfter", "uint256"}}
	witness := map[string]any{"to": t.To, "validAfter": "0"}
	if t.Facilitator != "" {
		spender, witness["facilitator"] = uptoProxy, t.Facilitator
		members = []typedMember{{"to", "address"}, {"facilitator", "address"}, {"validAfter", "uint256"}}
	}
	return typedTransferDocument{
		Types: map[string][]typedMember{
			primary: {
				{"permitted", "TokenPermissions"}, {"spender", "address"}, {"nonce", "uint256"},
				{"deadline", "uint256"}, {"witness", "Witness"},
			},
			"TokenPermissions": {{"token", "address"}, {"amount", "uint256"}},
			"Witness":          members,
		},
		PrimaryType: primary,
		Domain: map[string]any{
			"name": "Permit2", "chainId": n.ChainID, "verifyingContract": permit2.String(),
		},
		Message: map[string]any{
			"permitted": map[string]any{"token": t.Token.Address, "amount": t.Amount.String()},
			"spender":   spender.String(), "nonce": new(big.Int).SetBytes(t.Nonce[:]).String(),
			"deadline": strconv.FormatInt(t.Ends, 10), "witness": witness,
		},
	}
}
