package fakeapi

import (
	"math/big"
	"net/http"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/evm"
)

// exact is the transaction that the owner of an outside key signs.
func (q txRequest) exact(nonce uint64) (evm.Tx, error) {
	p, _, _ := q.intent()
	if q.Type == "sign" {
		raw, err := evm.ParseHex(q.UnsignedTransaction)
		if err != nil {
			return evm.Tx{}, err
		}
		return evm.DecodeUnsigned(raw)
	}
	to, err := evm.ParseAddress(p.To)
	if err != nil {
		return evm.Tx{}, err
	}
	data, err := evm.ParseHex(p.Data)
	if err != nil {
		return evm.Tx{}, err
	}
	value, _ := new(big.Int).SetString(p.Value, 10)
	tx := evm.Tx{
		Type: evm.DynamicFee, ChainID: q.ChainID, Nonce: nonce, MaxFeePerGas: big.NewInt(2e9),
		MaxPriorityFeePerGas: big.NewInt(1), GasLimit: 60_000, To: &to, Value: value, Data: data,
	}
	return tx, tx.Validate()
}

// prepareExternal is for an address of no wallet: exact bytes and nothing to stamp.
func (s *Server) prepareExternal(w http.ResponseWriter, r *http.Request, in txRequest) {
	tx, err := in.exact(s.outside)
	if err != nil {
		fail(w, r, http.StatusBadRequest, "validation_failed", "Validation failed: the transaction is invalid")
		return
	}
	s.outside++
	id := uuid.NewString()
	_, _, units := in.intent()
	record := object{
		"transactionId": id, "unsignedTransaction": evm.Hex(tx.Unsigned()), "from": in.SignWith, "to": in.To,
		"amount": in.Amount, "chainId": in.ChainID, "tokenAddress": in.TokenAddress, "network": "Base Sepolia",
		"status": "awaiting_signature", "custody": "external", "notice": "No policy and no approval applies.",
		"createdAt": now(), "expiresAt": now(),
		"fee": object{
			"gasLimit":             "60000",
			"maxFeePerGas":         "2000000000",
			"maxPriorityFeePerGas": "1",
			"maxTotalFee":          tx.MaxFee().String(),
		},
	}
	s.transactions[id] = &transaction{fields: record, units: units}
	s.order = append(s.order, id)
	respond(w, r, http.StatusOK, record, nil)
	delete(record, "notice")
	record["type"], record["updatedAt"] = in.Type, record["createdAt"]
}

// confirmExternal takes what the prepared bytes became under their owner's key.
func (s *Server) confirmExternal(w http.ResponseWriter, r *http.Request, t *transaction, in confirmation) {
	raw, err := evm.ParseHex(in.SignedTransaction)
	tx, sig, bad := evm.DecodeSigned(raw)
	if err != nil || bad != nil {
		fail(w, r, http.StatusUnprocessableEntity, "signed_transaction_invalid", "signedTransaction is not canonical")
		return
	}
	from, err := evm.RecoverAddress(tx.Digest(), sig)
	if err != nil || evm.Hex(tx.Unsigned()) != t.fields["unsignedTransaction"] || from.String() != t.fields["from"] {
		fail(w, r, http.StatusUnprocessableEntity, "signer_differs", "signedTransaction is another's")
		return
	}
	if t.fields["status"] == "awaiting_signature" {
		id := evm.ID(raw)
		t.fields["signedTransaction"], t.fields["txHash"], t.fields["nonce"] = evm.Hex(raw), evm.Hex(id[:]), tx.Nonce
		t.fields["status"] = "broadcast"
		s.add(t.fields["tokenAddress"], t.fields["to"], t.units)
	}
	respond(w, r, http.StatusOK, t.fields, nil)
}
