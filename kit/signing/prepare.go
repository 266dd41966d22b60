package signing

import (
	"context"
	"errors"
	"strconv"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/platform/command"
)

// The kinds of a prepared transaction.
const (
	TransferNative = "transfer_native"
	TransferToken  = "transfer_token"
	ContractCall   = "call"
	ExactBytes     = "sign"
)

// PrepareTransactionInput describes a transaction.
type PrepareTransactionInput struct {
	Type                string `json:"type" enum:"transfer_native,transfer_token,call,sign,speed_up,void"`
	SignWith            string `json:"signWith,omitempty" minLength:"1" maxLength:"64" doc:"Address, or id of the wallet account; required, but for speed_up and void"`
	ChainID             uint64 `json:"chainId,omitempty" doc:"Or network"`
	Network             string `json:"network,omitempty" doc:"Slug; or chainId"`
	To                  string `json:"to,omitempty" doc:"Recipient, or the contract of a call"`
	Amount              string `json:"amount,omitempty" maxLength:"80" doc:"Decimal, in units of the asset: 25.50"`
	TokenAddress        string `json:"tokenAddress,omitempty" doc:"Of transfer_token"`
	Value               string `json:"value,omitempty" maxLength:"80" doc:"Of call: wei"`
	Data                string `json:"data,omitempty" maxLength:"65536" pattern:"^0x([0-9a-fA-F]{2})*$" patternDescription:"0x-prefixed hex" doc:"Of call: calldata"`
	GasLimit            string `json:"gasLimit,omitempty" pattern:"^[1-9][0-9]{0,8}$" patternDescription:"a positive number" doc:"Default: the node's estimate and a fifth more"`
	MaxFeePerGas        string `json:"maxFeePerGas,omitempty" pattern:"^[1-9][0-9]{0,30}$" patternDescription:"a positive number" doc:"Wei; default: what the network asks"`
	UnsignedTransaction string `json:"unsignedTransaction,omitempty" maxLength:"131074" doc:"Of sign: exactly these bytes are signed, hex"`
	Replaces            string `json:"replaces,omitempty" maxLength:"64" doc:"Of speed_up and void: id of the signed transaction whose nonce is taken; all but maxFeePerGas comes from it"`
}

// Fee is what prepare proposes and what the owner agrees to at most, in wei.
type Fee struct {
	GasLimit             string `json:"gasLimit"`
	MaxFeePerGas         string `json:"maxFeePerGas"`
	MaxPriorityFeePerGas string `json:"maxPriorityFeePerGas"`
	MaxTotalFee          string `json:"maxTotalFee" doc:"Stamped: the enclave never pays more for gas. On base and optimism the chain takes a data fee beside it, which the signed preview shows as dataFee"`
}

// PreparedTransaction is a transaction that waits for its stamp.
type PreparedTransaction struct {
	TransactionID       string `json:"transactionId"`
	UnsignedTransaction string `json:"unsignedTransaction" doc:"As it would be signed now; with custody enclave nonce and fee may move within what is stamped"`
	From                string `json:"from"`
	To                  string `json:"to"`
	Amount              string `json:"amount"`
	TokenAddress        string `json:"tokenAddress,omitempty"`
	ChainID             uint64 `json:"chainId"`
	Network             string `json:"network"`
	Status              State  `json:"status" enum:"awaiting_signature"`
	Custody             string `json:"custody" enum:"enclave,external" doc:"external: signWith is an address of no wallet, and its owner signs unsignedTransaction as it is"`
	Notice              string `json:"notice,omitempty" doc:"Of external: what does not apply"`
	Fee                 Fee    `json:"fee"`
	CreatedAt           string `json:"createdAt" format:"date-time"`
	ExpiresAt           string `json:"expiresAt" format:"date-time"`
	Replaces            string `json:"replaces,omitempty" doc:"Of speed_up and void: the transaction whose nonce is taken"`
	*Prepared                  // nil where custody is external: there is nothing to stamp
}

// PrepareTransaction writes the body of a transaction.
func (s *Service) PrepareTransaction(ctx context.Context, cmd *command.Command, in PrepareTransactionInput) (command.Answer, error) {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	p, err := s.plan(asking, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	if p.external {
		return s.prepareExternal(ctx, cmd, p, in)
	}
	t, fee, d, err := s.draftTransaction(ctx, p, in.Type, newID(), "/v1/transactions/confirm")
	if err != nil {
		return command.Answer{}, err
	}
	return s.commitPrepared(ctx, cmd, t, fee, d)
}

// draftTransaction writes the body of a transaction and has the enclave say what it does.
func (s *Service) draftTransaction(ctx context.Context, p plan, kind, id, url string) (Transaction, Fee, draft, error) {
	sub, err := s.store.SubOrganization(ctx, p.wallet.WorkspaceID, p.wallet.SubOrganizationID)
	if err != nil {
		return Transaction{}, Fee{}, draft{}, err
	}
	d := draft{kind: p.kind, sub: sub, id: id, url: url, params: p.params}
	if err := s.prepare(ctx, &d); err != nil {
		return Transaction{}, Fee{}, d, err
	}
	t, fee, err := p.transaction(d, kind)
	return t, fee, d, err
}

func (s *Service) commitPrepared(ctx context.Context, cmd *command.Command, t Transaction, fee Fee, d draft) (command.Answer, error) {
	view := t.prepared(fee, &d.Prepared)
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view, Audit: command.Audit{Action: "transaction.prepare", Resource: t.ID},
		}, errors.Join(tx.InsertTransaction(ctx, t), d.ceremony.insert(ctx, tx))
	})
}

func (p plan) transaction(d draft, kind string) (Transaction, Fee, error) {
	fee := Fee{
		GasLimit: strconv.FormatUint(p.tx.GasLimit, 10), MaxFeePerGas: p.tx.GasFeeCap().String(),
		MaxPriorityFeePerGas: "0", MaxTotalFee: p.maxFee.String(),
	}
	if p.tx.MaxPriorityFeePerGas != nil {
		fee.MaxPriorityFeePerGas = p.tx.MaxPriorityFeePerGas.String()
	}
	feeText, err := text(fee)
	if err != nil {
		return Transaction{}, fee, err
	}
	preview, err := d.preview()
	t := p.row
	t.WorkspaceID, t.ID, t.Type = d.sub.WorkspaceID, d.id, kind
	t.SubOrganizationID, t.WalletID, t.From = d.sub.ID, p.wallet.ID, p.from.String()
	t.Chain, t.ChainID = p.network.Slug, p.network.ChainID
	t.Body, t.Fingerprint, t.Preview, t.Fee = d.body, d.Fingerprint, preview, feeText
	t.UnsignedTransaction = evm.Hex(p.tx.Unsigned())
	t.State, t.CreatedAt, t.UpdatedAt, t.ExpiresAt = Awaiting, d.now, d.now, d.expires()
	return t, fee, err
}
