package localnet

import (
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/tron"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// since writes a price as nodes do: from which millisecond on it holds.
func since(price int64) string { return "0:" + decimal(price) }

// constantLimit is the most energy of a call that changes nothing.
const constantLimit = 100_000_000

// triggered reads a call of a contract: data, or the name of a function and the words of its arguments.
func (q call) triggered() (t tron.Raw, err error) {
	if t.Owner, err = q.address("owner_address"); err != nil {
		return t, err
	}
	if t.To, err = q.address("contract_address"); err != nil {
		return t, err
	}
	if t.Amount, err = q.number("call_value"); err != nil {
		return t, err
	}
	if t.FeeLimit, err = q.number("fee_limit"); err != nil {
		return t, err
	}
	if name := q.text("function_selector"); name != "" {
		words, err := q.bytes("parameter")
		hash := evm.Keccak256([]byte(name))
		t.Data = append(hash[:4:4], words...)
		return t, err
	}
	t.Data, err = q.bytes("data")
	return t, err
}

// failed is the answer of a trigger that is refused. The words of a node are hex, whatever is visible.
func failed(code, words string) object {
	return object{"result": object{"code": code, "message": hex.EncodeToString([]byte(words))}}
}

// tries runs a call in the state of the newest block that is shown, and changes nothing.
func (l look) tries(q call) (t tron.Raw, out outcome, refused object) {
	t, err := q.triggered()
	if err != nil {
		return t, out, failed("OTHER_ERROR", "class java.lang.Exception : "+err.Error())
	}
	if _, s, err := l.account(t.To); err != nil || s == nil || !l.ledger.contracts[t.To] {
		return t, out, failed("CONTRACT_VALIDATE_ERROR", "Smart contract is not exist.")
	}
	s, err := l.ledger.after(l.newest())
	if err != nil {
		return t, out, failed("OTHER_ERROR", err.Error())
	}
	if t.Amount < 0 || sunOf(s, t.Owner) < t.Amount {
		return t, out, failed("CONTRACT_VALIDATE_ERROR", "Validate InternalTransfer error, balance is not sufficient.")
	}
	on := &block{number: l.newest().number + 1, time: l.newest().time + 1, parent: l.newest()}
	l.ledger.run(s, t, on, constantLimit, &out)
	return t, out, nil
}

// triggerConstantContract tells what a call would do and how much energy it takes.
func triggerConstantContract(l look, q call) (any, error) {
	t, out, refused := l.tries(q)
	if refused != nil {
		return refused, nil
	}
	f := q.form()
	if out.result != "SUCCESS" && out.result != "REVERT" {
		return failed("OTHER_ERROR", "class org.tron.core.vm.program.Program : "+out.words), nil
	}
	made := l.skeleton(t.Owner, l.newest().time)
	made.To, made.Amount, made.Data, made.FeeLimit = t.To, t.Amount, t.Data, max(t.FeeLimit, 1)
	o, err := f.unsigned(made)
	if err != nil {
		return failed("OTHER_ERROR", err.Error()), nil
	}
	result, ret := object{"result": true}, object{}
	if out.result == "REVERT" {
		result["message"], ret["ret"] = hex.EncodeToString([]byte(out.words)), "FAILED"
	}
	o["ret"] = []object{ret}
	answer := object{
		"result": result, "energy_used": out.energy, "constant_result": []string{hex.EncodeToString(out.returned)},
		"transaction": o,
	}
	put(answer, "energy_penalty", out.penalty)
	if len(out.logs) > 0 {
		answer["logs"] = f.logs(out.logs)
	}
	return answer, nil
}

func estimateEnergy(l look, q call) (any, error) {
	_, out, refused := l.tries(q)
	if refused != nil {
		return refused, nil
	}
	if out.result != "SUCCESS" {
		return failed("CONTRACT_EXE_ERROR", out.words), nil
	}
	return object{"result": object{"result": true}, "energy_required": out.energy}, nil
}

// abiOf is the interface of the tokens, in the form that nodes give it.
func abiOf() (object, error) {
	contract, err := contracts.TRC20()
	if err != nil {
		return nil, err
	}
	var entries []object
	if err := json.Unmarshal(contract.ABI, &entries); err != nil {
		return nil, err
	}
	for _, e := range entries {
		names := map[any]string{"function": "Function", "event": "Event"}
		e["type"] = names[e["type"]]
		if m, ok := e["stateMutability"].(string); ok && m != "" {
			e["stateMutability"] = map[string]string{"view": "View", "pure": "Pure", "nonpayable": "Nonpayable"}[m]
		}
	}
	return object{"entrys": entries}, nil
}
