package localnet

import (
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/chain/tron"
)

// changes are the methods that hand a transaction in, or make one to be signed.
var changes = map[string]func(*Chain, call) (any, error){
	"broadcasthex":         broadcastHex,
	"broadcasttransaction": broadcastTransaction,
	"createtransaction":    createTransaction,
	"triggersmartcontract": triggerSmartContract,
}

// send has a transaction in a block of its own, or lets it wait where blocks are made by hand. The caller has no lock.
func (c *Chain) send(node string, s sent) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, refused := c.try(s); refused != nil {
		return refused
	}
	switch {
	case c.views[node].Loses:
		return nil
	case !c.byHand:
		return c.write(entry{Send: [][]byte{s.raw}})
	}
	for _, waits := range c.pool {
		if waits.id == s.id {
			return &refusal{"DUP_TRANSACTION_ERROR", "Dup transaction."}
		}
	}
	return c.write(entry{Wait: s.raw})
}

// broadcastHex takes the bytes of a signed transaction. Its words are plain, other than those of the next method.
func broadcastHex(c *Chain, q call) (any, error) {
	raw, err := q.bytes("transaction")
	if err != nil {
		return nil, err
	}
	s, err := decode(raw)
	if err != nil {
		return nil, err
	}
	o, err := q.form().unsigned(s.Raw)
	if err != nil {
		return nil, err
	}
	said, err := json.Marshal(o) // a text in the answer, as nodes have it
	if err != nil {
		return nil, err
	}
	answer := object{"result": true, "code": "SUCCESS", "message": "", "txid": s.id, "transaction": string(said)}
	var refused *refusal
	err = c.send(q.node, s)
	if errors.As(err, &refused) {
		answer["result"], answer["code"], answer["message"] = false, refused.code, refused.words
		return answer, nil
	}
	return answer, err
}

// broadcastTransaction takes a signed transaction in JSON, and reads its raw_data alone: raw_data_hex and txID are
// nothing to a node.
func broadcastTransaction(c *Chain, q call) (any, error) {
	t, err := q.within("raw_data").raw()
	if err != nil {
		return nil, err
	}
	list, _ := q.members["signature"].([]any)
	if len(list) != 1 {
		return nil, errors.New("there is not one signature")
	}
	text, _ := list[0].(string)
	signature, err := call{members: object{"signature": text}}.bytes("signature")
	if err != nil || len(signature) != 65 {
		return nil, errors.New("the signature has not 65 bytes in hex")
	}
	if signature[64] >= 27 {
		signature[64] -= 27
	}
	raw, err := tron.Signed{Raw: t, Signature: [65]byte(signature)}.Encode()
	if err != nil {
		return nil, err
	}
	s, err := decode(raw)
	if err != nil {
		return nil, err
	}
	var refused *refusal
	err = c.send(q.node, s)
	if errors.As(err, &refused) {
		return object{"code": refused.code, "txid": s.id, "message": hex.EncodeToString([]byte(refused.words))}, nil
	}
	return object{"result": true, "txid": s.id}, err
}

// raw reads the member raw_data of a transaction in JSON.
func (q call) raw() (t tron.Raw, err error) {
	list, _ := q.members["contract"].([]any)
	if len(list) != 1 {
		return t, errors.New("there is not one contract")
	}
	inner, _ := list[0].(map[string]any)
	contract := call{members: inner}
	value := contract.within("parameter").within("value")
	switch contract.text("type") {
	case "TriggerSmartContract":
		t, err = value.triggered()
	case "TransferContract":
		t, err = value.transferred()
	default:
		err = errors.New("the chain of the sandbox has transfers of TRX and calls of contracts only")
	}
	if err != nil {
		return t, err
	}
	ref, err := q.bytes("ref_block_bytes")
	hash, also := q.bytes("ref_block_hash")
	if err != nil || also != nil || len(ref) != 2 || len(hash) != 8 {
		return t, errors.New("ref_block_bytes or ref_block_hash is not what it should be")
	}
	t.RefBytes, t.RefHash = [2]byte(ref), [8]byte(hash)
	for name, to := range map[string]*int64{
		"expiration": &t.Expiration, "timestamp": &t.Timestamp, "fee_limit": &t.FeeLimit,
	} {
		if *to, err = q.number(name); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (q call) transferred() (t tron.Raw, err error) {
	if t.Owner, err = q.address("owner_address"); err != nil {
		return t, err
	}
	if t.To, err = q.address("to_address"); err != nil {
		return t, err
	}
	t.Amount, err = q.number("amount")
	return t, err
}

// createTransaction makes a transfer of TRX to be signed.
func createTransaction(c *Chain, q call) (any, error) {
	t, err := q.transferred()
	if err != nil {
		return nil, err
	}
	return c.made(q, t)
}

// triggerSmartContract makes a call to be signed.
func triggerSmartContract(c *Chain, q call) (any, error) {
	t, err := q.triggered()
	if err != nil {
		return failed("OTHER_ERROR", "class java.lang.Exception : "+err.Error()), nil
	}
	o, err := c.made(q, t)
	if err != nil {
		return failed("CONTRACT_VALIDATE_ERROR", err.Error()), nil
	}
	return object{"result": object{"result": true}, "transaction": o}, nil
}

// made is a transaction that names the newest block and ends a minute later.
func (c *Chain) made(q call, t tron.Raw) (any, error) {
	if err := c.refresh(); err != nil {
		return nil, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	made := c.skeleton(t.Owner, c.now().UnixMilli())
	made.To, made.Amount, made.Data, made.FeeLimit = t.To, t.Amount, t.Data, t.FeeLimit
	return q.form().unsigned(made)
}
