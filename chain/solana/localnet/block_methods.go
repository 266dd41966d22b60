package localnet

import (
	"encoding/base64"
	"slices"

	"github.com/railkit/railkit/chain/solana"
)

func getBlock(l look, q call) (any, error) {
	var slot int64
	if err := q.need(0, &slot); err != nil {
		return nil, err
	}
	o, err := q.options(1)
	if err != nil {
		return nil, err
	}
	b, err := l.blockAt(slot, o.Commitment)
	if err != nil {
		return nil, err
	}
	below := l.parentOf(b)
	form := object{
		"blockhash": solana.Address(b.hash).String(), "parentSlot": below.slot, "blockHeight": b.height,
		"blockTime": b.time, "previousBlockhash": solana.Address(below.hash).String(),
	}
	if o.Rewards == nil || *o.Rewards {
		form["rewards"] = []any{}
	}
	return form, l.fill(form, b, o)
}

// fill puts the transactions of a block into its form, as far as they are asked for.
func (l look) fill(form object, b *block, o options) error {
	ids, all := []string{}, []any{}
	for _, t := range l.told(b) {
		if l.hides(t) {
			continue
		}
		ids = append(ids, t.ID())
		if o.Details == "signatures" || o.Details == "none" {
			continue
		}
		one, err := l.transactionForm(t, o)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	switch o.Details {
	case "none":
	case "signatures":
		form["signatures"] = ids
	case "", "full", "accounts":
		form["transactions"] = all
	default:
		return refuse(codeParams, "Invalid params: transactionDetails %q", o.Details)
	}
	return nil
}

func getTransaction(l look, q call) (any, error) {
	id, err := q.signature(0)
	if err != nil {
		return nil, err
	}
	o, err := q.options(1)
	if err != nil {
		return nil, err
	}
	if l.NoHistory {
		return nil, errNoHistory
	}
	t := l.landed[id]
	if !l.sees(t, o.Commitment) {
		return nil, nil
	}
	form, err := l.transactionForm(t, o)
	if err != nil {
		return nil, err
	}
	form["slot"], form["blockTime"] = t.block.slot, t.block.time
	return form, nil
}

// statusLife is for how many blocks a node tells the status of a transaction without looking into its history.
const statusLife = 300

func signatureStatuses(l look, q call) (any, error) {
	texts, o, err := q.listed(mostSignatures)
	if err != nil {
		return nil, err
	}
	if o.SearchHistory && l.NoHistory {
		return nil, errNoHistory
	}
	all := make([]any, len(texts))
	for i, text := range texts {
		id, err := solana.ParseSignature(text)
		if err != nil {
			return nil, refuse(codeParams, "Invalid param: Invalid")
		}
		all[i] = l.status(id, o.SearchHistory)
	}
	o.Commitment = "processed"
	return l.within(o, all)
}

func (l look) status(id solana.Signature, search bool) any {
	head := l.newest("processed")
	if slices.Contains(l.Invents, id.String()) {
		return object{"slot": head.slot, "confirmations": nil, "err": nil, "status": object{"Ok": nil},
			"confirmationStatus": "finalized"}
	}
	t := l.landed[id]
	if !l.sees(t, "processed") || !search && head.height-t.block.height > statusLife {
		return nil
	}
	form := object{
		"slot": t.block.slot, "confirmations": nil, "confirmationStatus": l.confirmation(t),
		"err": errorForm(t.outcome.Err), "status": statusForm(t.outcome.Err),
	}
	if !l.sees(t, "finalized") {
		form["confirmations"] = head.height - t.block.height
	}
	return form
}

func (l look) confirmation(t *landed) string {
	if l.sees(t, "finalized") {
		return "finalized"
	}
	return "confirmed"
}

// signaturesFor are the transactions that name a key, the newest first.
func signaturesFor(l look, q call) (any, error) {
	at, o, err := q.addressed()
	if err != nil {
		return nil, err
	}
	if l.NoHistory {
		return nil, errNoHistory
	}
	if _, err := l.within(o, nil); err != nil {
		return nil, err
	}
	limit := 1000
	if o.Limit != nil && *o.Limit >= 1 && *o.Limit < limit {
		limit = *o.Limit
	}
	all, on := []any{}, o.Before == ""
	for _, t := range slices.Backward(l.named[at]) {
		if t.ID() == o.Until || len(all) == limit {
			break
		}
		if on && l.sees(t, o.Commitment) {
			all = append(all, object{
				"signature": t.ID(), "slot": t.block.slot, "err": errorForm(t.outcome.Err), "memo": memoOf(t.Message),
				"blockTime": t.block.time, "confirmationStatus": l.confirmation(t),
			})
		}
		on = on || t.ID() == o.Before
	}
	return all, nil
}

// feeForMessage takes a message without signatures.
func feeForMessage(l look, q call) (any, error) {
	var text string
	if err := q.need(0, &text); err != nil {
		return nil, err
	}
	o, err := q.options(1)
	if err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, refuse(codeParams, "invalid base64 encoding")
	}
	m, err := solana.DecodeMessage(raw)
	if err != nil {
		return nil, refuse(codeParams, "failed to deserialize solana_message: %s", err)
	}
	if !l.isRecent(m.Blockhash, l.newest(o.Commitment)) && !m.IsDurable() {
		return l.within(o, nil)
	}
	fee, err := m.MaxFee()
	if err != nil {
		return l.within(o, nil)
	}
	return l.within(o, fee)
}
