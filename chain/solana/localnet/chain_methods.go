package localnet

import (
	"github.com/railkit/railkit/chain/solana"
)

type object = map[string]any

// questions are the methods that change nothing.
var questions = map[string]func(look, call) (any, error){
	"getHealth":                         func(look, call) (any, error) { return "ok", nil },
	"getVersion":                        version,
	"getIdentity":                       identity,
	"getGenesisHash":                    genesisHash,
	"getSlot":                           slot,
	"getBlockHeight":                    blockHeight,
	"getTransactionCount":               transactionCount,
	"getEpochInfo":                      epochInfo,
	"getEpochSchedule":                  epochSchedule,
	"getLatestBlockhash":                latestBlockhash,
	"isBlockhashValid":                  isBlockhashValid,
	"getFeeForMessage":                  feeForMessage,
	"getBlock":                          getBlock,
	"getBlockTime":                      blockTime,
	"getBlocks":                         getBlocks,
	"getBlocksWithLimit":                blocksWithLimit,
	"minimumLedgerSlot":                 firstBlock,
	"getFirstAvailableBlock":            firstBlock,
	"getMinimumBalanceForRentExemption": rent,
	"getRecentPrioritizationFees":       priorityFees,
	"getBalance":                        balance,
	"getAccountInfo":                    accountInfo,
	"getMultipleAccounts":               multipleAccounts,
	"getTokenAccountBalance":            tokenBalance,
	"getTokenAccountsByOwner":           tokenAccounts,
	"getTokenSupply":                    tokenSupply,
	"getSignatureStatuses":              signatureStatuses,
	"getSignaturesForAddress":           signaturesFor,
	"getTransaction":                    getTransaction,
	"simulateTransaction":               simulateTransaction,
}

// within puts a value beside the slot at which it holds.
func (l look) within(o options, value any) (any, error) {
	at := l.newest(o.Commitment)
	if at.slot < o.MinContextSlot {
		e := refuse(codeMinContextSlot, "Minimum context slot has not been reached")
		e.Data = object{"contextSlot": at.slot}
		return nil, e
	}
	return object{"context": object{"slot": at.slot, "apiVersion": apiVersion}, "value": value}, nil
}

func version(look, call) (any, error) {
	return object{"solana-core": apiVersion + "-railkit-localnet", "feature-set": 0}, nil
}

func identity(look, call) (any, error) { return object{"identity": addressOf(faucetKey).String()}, nil }

// genesisHash is that of the cluster whose name the network has, so that clients take it for the network that it plays.
func genesisHash(l look, _ call) (any, error) {
	if l.network.Cluster == "devnet" {
		return "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", nil
	}
	return solana.Address(l.blocks[0].hash).String(), nil
}

// atCommitment answers a number of the newest block.
func atCommitment(l look, q call, number func(*block) any) (any, error) {
	o, err := q.options(0)
	if err != nil {
		return nil, err
	}
	if _, err := l.within(o, nil); err != nil {
		return nil, err
	}
	return number(l.newest(o.Commitment)), nil
}

func slot(l look, q call) (any, error) {
	return atCommitment(l, q, func(b *block) any { return b.slot })
}

func blockHeight(l look, q call) (any, error) {
	return atCommitment(l, q, func(b *block) any { return b.height })
}

func transactionCount(l look, q call) (any, error) {
	return atCommitment(l, q, func(*block) any { return len(l.landed) })
}

const slotsInEpoch = 432_000

func epochInfo(l look, q call) (any, error) {
	return atCommitment(l, q, func(b *block) any {
		return object{
			"absoluteSlot": b.slot, "blockHeight": b.height, "epoch": b.slot / slotsInEpoch,
			"slotIndex": b.slot % slotsInEpoch, "slotsInEpoch": slotsInEpoch, "transactionCount": len(l.landed),
		}
	})
}

func epochSchedule(look, call) (any, error) {
	return object{
		"slotsPerEpoch": slotsInEpoch, "leaderScheduleSlotOffset": slotsInEpoch, "warmup": false,
		"firstNormalEpoch": 0, "firstNormalSlot": 0,
	}, nil
}

func latestBlockhash(l look, q call) (any, error) {
	o, err := q.options(0)
	if err != nil {
		return nil, err
	}
	b := l.newest(o.Commitment)
	hash := solana.Address(b.hash)
	if l.Forges {
		hash[0]++
	}
	return l.within(o, object{"blockhash": hash.String(), "lastValidBlockHeight": b.height + hashLife})
}

func isBlockhashValid(l look, q call) (any, error) {
	hash, o, err := q.addressed()
	if err != nil {
		return nil, err
	}
	return l.within(o, l.isRecent(hash, l.newest(o.Commitment)))
}

func firstBlock(l look, _ call) (any, error) { return l.first().slot, nil }

func rent(l look, q call) (any, error) {
	var size int
	if err := q.need(0, &size); err != nil {
		return nil, err
	}
	if size < 0 || size > 10<<20 {
		return nil, refuse(codeParams, "Invalid params: %d bytes", size)
	}
	return l.ledger.MinimumBalance(size), nil
}

func priorityFees(l look, _ call) (any, error) {
	all := []object{}
	head := l.newest("processed").height
	for _, b := range l.blocks[max(l.first().height, head+1-hashLife) : head+1] {
		all = append(all, object{"slot": b.slot, "prioritizationFee": 0})
	}
	return all, nil
}

func blockTime(l look, q call) (any, error) {
	var slot int64
	if err := q.need(0, &slot); err != nil {
		return nil, err
	}
	b, err := l.blockAt(slot, "")
	if err != nil {
		return nil, err
	}
	return b.time, nil
}

// getBlocks takes the last slot or leaves it out.
func getBlocks(l look, q call) (any, error) {
	from, to, place := int64(0), int64(-1), 1
	if err := q.need(0, &from); err != nil {
		return nil, err
	}
	if len(q.params) > 1 && q.need(1, &to) == nil {
		place = 2
	}
	o, err := q.options(place)
	if err != nil {
		return nil, err
	}
	if to < 0 {
		to = l.newest(o.Commitment).slot
	}
	if to-from > mostBlocks {
		return nil, refuse(codeParams, "Slot range too large; max %d", mostBlocks)
	}
	return l.has(from, to, o.Commitment), nil
}

func blocksWithLimit(l look, q call) (any, error) {
	var from, limit int64
	if err := q.need(0, &from); err != nil {
		return nil, err
	}
	if err := q.need(1, &limit); err != nil {
		return nil, err
	}
	o, err := q.options(2)
	if err != nil {
		return nil, err
	}
	all := l.has(from, l.newest(o.Commitment).slot, o.Commitment)
	return all[:min(max(0, int(limit)), len(all))], nil
}
