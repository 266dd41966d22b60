package localnet

import (
	"encoding/hex"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/railkit/railkit/chain/tron"
)

// form writes answers as a node does: in hex, or so that people can read them.
type form struct{ visible bool }

func (q call) form() form { return form{q.visible()} }

func (f form) address(a tron.Address) string {
	if f.visible {
		return a.String()
	}
	return hex.EncodeToString(a.Bytes())
}

func (f form) words(text string) string {
	if f.visible {
		return text
	}
	return hex.EncodeToString([]byte(text))
}

// put sets a member that is not zero: protocol buffers leave a zero out.
func put[T comparable](o object, name string, value T) {
	var zero T
	if value != zero {
		o[name] = value
	}
}

// raw is the member raw_data of a transaction.
func (f form) raw(t tron.Raw) object {
	value, kind := object{"owner_address": f.address(t.Owner)}, "TransferContract"
	if len(t.Data) > 0 {
		kind = "TriggerSmartContract"
		value["contract_address"], value["data"] = f.address(t.To), hex.EncodeToString(t.Data)
		put(value, "call_value", t.Amount)
	} else {
		value["to_address"], value["amount"] = f.address(t.To), t.Amount
	}
	o := object{
		"contract": []object{{
			"parameter": object{"value": value, "type_url": "type.googleapis.com/protocol." + kind}, "type": kind,
		}},
		"ref_block_bytes": hex.EncodeToString(t.RefBytes[:]), "ref_block_hash": hex.EncodeToString(t.RefHash[:]),
		"expiration": t.Expiration, "timestamp": t.Timestamp,
	}
	put(o, "fee_limit", t.FeeLimit)
	return o
}

// unsigned is a transaction that a node made.
func (f form) unsigned(t tron.Raw) (object, error) {
	raw, err := t.Encode()
	if err != nil {
		return nil, err
	}
	return object{
		"visible": f.visible, "txID": t.ID(), "raw_data": f.raw(t), "raw_data_hex": hex.EncodeToString(raw),
	}, nil
}

// transaction is one in a block.
func (f form) transaction(t *landed) (object, error) {
	o, err := f.unsigned(t.Raw)
	if err != nil {
		return nil, err
	}
	delete(o, "visible")
	o["ret"] = []object{{"contractRet": t.result}}
	o["signature"] = []string{hex.EncodeToString(t.raw[len(t.raw)-65:])}
	return o, nil
}

// block has its transactions where they are wanted.
func (f form) block(b *block, whole bool) (object, error) {
	header := object{
		"txTrieRoot": hex.EncodeToString(b.txRoot()), "witness_address": f.address(witness),
		"parentHash": hex.EncodeToString(b.parentID()), "version": blockVersion,
		"accountStateRoot": hex.EncodeToString(b.root[:]),
	}
	put(header, "number", b.number)
	put(header, "timestamp", b.time)
	o := object{"blockID": b.name(), "block_header": object{"raw_data": header, "witness_signature": ""}}
	if !whole || len(b.transactions) == 0 {
		return o, nil
	}
	var all []object
	for _, t := range b.transactions {
		one, err := f.transaction(t)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	o["transactions"] = all
	return o, nil
}

// info is what came of a transaction.
func (f form) info(t *landed) object {
	receipt := object{}
	put(receipt, "energy_fee", t.energyFee)
	put(receipt, "energy_usage_total", t.energy)
	put(receipt, "energy_penalty_total", t.penalty)
	put(receipt, "net_usage", t.bytes)
	put(receipt, "net_fee", t.byteFee)
	o := object{
		"id": t.id, "blockNumber": t.block.number, "blockTimeStamp": t.block.time,
		"contractResult": []string{hex.EncodeToString(t.returned)}, "receipt": receipt,
	}
	put(o, "fee", t.fee())
	if len(t.Data) > 0 {
		o["contract_address"], receipt["result"] = f.address(t.To), t.result
	}
	if t.result != "SUCCESS" {
		o["result"], o["resMessage"] = "FAILED", f.words(t.words)
	}
	if len(t.logs) > 0 {
		o["log"] = f.logs(t.logs)
	}
	return o
}

// logs have the 20 bytes of an address, without its 0x41, unless people are to read them.
func (f form) logs(all []*types.Log) []object {
	var forms []object
	for _, l := range all {
		address := hex.EncodeToString(l.Address[:])
		if f.visible {
			address = tron.Address(l.Address).String()
		}
		var topics []string
		for _, topic := range l.Topics {
			topics = append(topics, hex.EncodeToString(topic[:]))
		}
		forms = append(forms, object{"address": address, "topics": topics, "data": hex.EncodeToString(l.Data)})
	}
	return forms
}
