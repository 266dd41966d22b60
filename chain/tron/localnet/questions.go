package localnet

import (
	"errors"
	"time"

	"github.com/railkit/railkit/chain/tron"
)

// questions are the methods that change nothing. A node's solid half knows most of them as well.
var questions = map[string]func(look, call) (any, error){
	"getnowblock":                  func(l look, q call) (any, error) { return q.form().block(l.newest(), true) },
	"getblock":                     getBlock,
	"getblockbynum":                getBlockByNum,
	"getblockbyid":                 getBlockByID,
	"getblockbylimitnext":          getBlockByLimitNext,
	"gettransactionbyid":           getTransactionByID,
	"gettransactioninfobyid":       getTransactionInfoByID,
	"gettransactioninfobyblocknum": getTransactionInfoByBlockNum,
	"getaccount":                   getAccount,
	"getaccountresource":           getAccountResource,
	"getaccountnet":                getAccountNet,
	"getcontract":                  getContract,
	"getchainparameters":           getChainParameters,
	"getenergyprices":              getEnergyPrices,
	"getbandwidthprices":           getBandwidthPrices,
	"triggerconstantcontract":      triggerConstantContract,
	"estimateenergy":               estimateEnergy,
	"validateaddress":              validateAddress,
	"getnodeinfo":                  getNodeInfo,
	"listnodes":                    func(look, call) (any, error) { return object{}, nil },
}

// newestOf are those that show the newest block, which must not be old.
var newestOf = map[string]bool{"getnowblock": true, "getblock": true}

// shown is a block, or an empty object where it is not there.
func shown(b *block, q call, whole bool) (any, error) {
	if b == nil {
		return object{}, nil
	}
	return q.form().block(b, whole)
}

// getBlock takes a number or an id, or neither for the newest.
func getBlock(l look, q call) (any, error) {
	name := q.text("id_or_num")
	if name == "" {
		return shown(l.newest(), q, q.is("detail"))
	}
	if len(name) == 64 {
		return shown(l.identified(name), q, q.is("detail"))
	}
	n, err := q.number("id_or_num")
	if err != nil {
		return nil, err
	}
	return shown(l.numbered(n), q, q.is("detail"))
}

func getBlockByNum(l look, q call) (any, error) {
	n, err := q.number("num")
	if err != nil {
		return nil, err
	}
	return shown(l.numbered(n), q, true)
}

func getBlockByID(l look, q call) (any, error) { return shown(l.identified(q.text("value")), q, true) }

const mostListed = 100

// getBlockByLimitNext lists the blocks from startNum to below endNum.
func getBlockByLimitNext(l look, q call) (any, error) {
	from, err := q.number("startNum")
	to, also := q.number("endNum")
	if err := errors.Join(err, also); err != nil {
		return nil, err
	}
	if from < 0 || to <= from || to-from > mostListed {
		return object{}, nil
	}
	var all []object
	for n := from; n < to; n++ {
		b := l.numbered(n)
		if b == nil {
			break
		}
		o, err := q.form().block(b, true)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return object{"block": all}, nil
}

func getTransactionByID(l look, q call) (any, error) {
	t := l.transaction(q.text("value"))
	if t == nil {
		return object{}, nil
	}
	return q.form().transaction(t)
}

func getTransactionInfoByID(l look, q call) (any, error) {
	t := l.transaction(q.text("value"))
	if t == nil {
		return object{}, nil
	}
	return q.form().info(t), nil
}

func getTransactionInfoByBlockNum(l look, q call) (any, error) {
	n, err := q.number("num")
	if err != nil {
		return nil, err
	}
	all := []object{}
	b := l.numbered(n)
	if b == nil {
		return all, nil
	}
	for _, t := range b.transactions {
		if l.transaction(t.id) != nil {
			all = append(all, q.form().info(t))
		}
	}
	return all, nil
}

// getAccount answers an empty object of an account that nothing has opened.
func getAccount(l look, q call) (any, error) {
	a, err := q.address("address")
	if err != nil {
		return nil, err
	}
	has, s, err := l.account(a)
	if err != nil || s == nil {
		return object{}, err
	}
	f := q.form()
	o := object{
		"address": f.address(a), "net_window_size": day, "net_window_optimized": true, "account_resource": object{},
		"owner_permission": object{"permission_name": f.words("owner"), "threshold": 1, "keys": []object{
			{"address": f.address(a), "weight": 1},
		}},
	}
	put(o, "balance", sunOf(s, a))
	put(o, "create_time", has.opened)
	put(o, "free_net_usage", has.used)
	if l.ledger.contracts[a] {
		o["type"] = "Contract"
	}
	return o, nil
}

// totals are those of the whole network, as a node tells them: only their members are looked at.
var totals = object{
	"TotalNetLimit": 43_200_000_000, "TotalNetWeight": 26_000_000_000, "TotalEnergyLimit": 180_000_000_000,
	"TotalEnergyWeight": 19_000_000_000,
}

// getAccountResource: nobody stakes here, so that there is free bandwidth alone.
func getAccountResource(l look, q call) (any, error) {
	o, err := getAccountNet(l, q)
	if net, ok := o.(object); ok && err == nil && len(net) > 0 {
		for name, value := range totals {
			net[name] = value
		}
	}
	return o, err
}

func getAccountNet(l look, q call) (any, error) {
	a, err := q.address("address")
	if err != nil {
		return nil, err
	}
	has, s, err := l.account(a)
	if err != nil || s == nil {
		return object{}, err
	}
	o := object{"freeNetLimit": freeBytes}
	put(o, "freeNetUsed", has.usedBy(max(l.now().UnixMilli(), l.newest().time)))
	return o, nil
}

func getContract(l look, q call) (any, error) {
	a, err := q.address("value")
	if err != nil || !l.ledger.contracts[a] {
		return object{}, nil
	}
	abi, err := abiOf()
	if err != nil {
		return nil, err
	}
	f := q.form()
	return object{
		"origin_address": f.address(faucetAddress()), "contract_address": f.address(a), "abi": abi,
		"consume_user_resource_percent": 100, "name": "SandboxTRC20", "origin_energy_limit": 1,
	}, nil
}

// getChainParameters has those that say what a transaction costs.
func getChainParameters(l look, _ call) (any, error) {
	var all []object
	for _, p := range []struct {
		key   string
		value int64
	}{
		{"getCreateAccountFee", l.ledger.Opening}, {"getTransactionFee", l.ledger.Byte},
		{"getCreateNewAccountFeeInSystemContract", l.ledger.Account}, {"getEnergyFee", l.ledger.Energy},
		{"getFreeNetLimit", freeBytes}, {"getMaxFeeLimit", tron.MaxFeeLimit}, {"getMemoFee", 1_000_000},
		{"getMultiSignFee", 1_000_000},
	} {
		all = append(all, object{"key": p.key, "value": p.value})
	}
	return object{"chainParameter": all}, nil
}

func getEnergyPrices(l look, _ call) (any, error) {
	return object{"prices": since(l.ledger.Energy)}, nil
}

func getBandwidthPrices(l look, _ call) (any, error) {
	return object{"prices": since(l.ledger.Byte)}, nil
}

func validateAddress(_ look, q call) (any, error) {
	if _, err := q.address("address"); err != nil {
		return object{"result": false, "message": "Invalid address"}, nil
	}
	return object{"result": true, "message": "Base58check or hex format"}, nil
}

func getNodeInfo(l look, _ call) (any, error) {
	solid := l
	solid.solidOnly = true
	name := func(b *block) string { return "Num:" + decimal(b.number) + ",ID:" + b.name() }
	return object{
		"beginSyncNum": l.newest().number, "block": name(l.newest()), "solidityBlock": name(solid.newest()),
		"configNodeInfo":      object{"codeVersion": "railkit-localnet", "p2pVersion": "0"},
		"machineInfo":         object{"javaVersion": "", "osName": ""},
		"currentConnectCount": 0, "totalFlow": 0, "peerList": []object{}, "cheatWitnessInfoMap": object{},
		"time": time.UnixMilli(l.newest().time).UTC().Format(time.RFC3339),
	}, nil
}
