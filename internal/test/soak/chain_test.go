package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/internal/test/testwait"
)

// arrival is a transfer of USDC to the owner's wallet of a network.
type arrival struct {
	chain string
	minor int64
}

// arrivals are those that the chains have, by transaction.
func (w *world) arrivals() (came map[string][]arrival) {
	w.t.Helper()
	testwait.Until(w.t, "the chains tell what arrived", func() bool {
		came = map[string][]arrival{}
		for slug, h := range w.homes {
			some, err := w.arrivalsAt(slug, h.address)
			if err != nil {
				return false
			}
			maps.Copy(came, some)
		}
		return true
	})
	return came
}

// arrivalsAt are the transfers of USDC to an address that a chain has, by transaction.
func (w *world) arrivalsAt(slug, address string) (map[string][]arrival, error) {
	if slug == "solana" {
		return w.arrivalsOnSolana(address)
	}
	const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" // (address,address,uint256)
	var logs []struct {
		TransactionHash, Data string
		Topics                []string
	}
	to := "0x" + strings.Repeat("0", 24) + strings.ToLower(strings.TrimPrefix(address, "0x"))
	if err := w.ask(slug, "eth_getLogs", &logs, map[string]any{
		"fromBlock": "0x0", "toBlock": "latest", "address": apptest.USDC().Address, "topics": []any{transfer, nil, to},
	}); err != nil {
		return nil, err
	}
	came := map[string][]arrival{}
	for _, l := range logs {
		amount, ok := new(big.Int).SetString(strings.TrimPrefix(l.Data, "0x"), 16)
		if !ok || len(l.Topics) != 3 {
			return nil, fmt.Errorf("no transfer: %+v", l)
		}
		hash := strings.ToLower(l.TransactionHash)
		came[hash] = append(came[hash], arrival{slug, amount.Int64()})
	}
	return came, nil
}

// arrivalsOnSolana are the final transactions after which an owner's associated account has more than before. Together
// with those after which it has less they have to make what is in it: else the node left one out.
func (w *world) arrivalsOnSolana(owner string) (map[string][]arrival, error) {
	to, err := solana.ParseAddress(owner)
	if err != nil {
		return nil, err
	}
	account := solanatest.Associated(to, solanatest.Mint("USDC")).String()
	came, sum, before := map[string][]arrival{}, int64(0), ""
	for {
		var some []struct{ Signature string }
		asked := map[string]any{"commitment": "finalized"}
		if before != "" {
			asked["before"] = before
		}
		if err := w.ask("solana", "getSignaturesForAddress", &some, account, asked); err != nil {
			return nil, err
		}
		if len(some) == 0 {
			return came, w.holds(account, sum)
		}
		for _, s := range some {
			change, err := w.changed(s.Signature, account)
			if err != nil {
				return nil, err
			}
			sum += change
			if change > 0 {
				came[s.Signature] = []arrival{{"solana", change}}
			}
		}
		before = some[len(some)-1].Signature
	}
}

// tokenBalance is what a token account has before or after a transaction.
type tokenBalance struct {
	AccountIndex  int
	Mint          string
	UITokenAmount struct{ Amount string }
}

// changed is by how much a transaction changed what a token account has.
func (w *world) changed(signature, account string) (change int64, err error) {
	var tx *struct {
		Transaction struct {
			Message struct{ AccountKeys []string }
		}
		Meta struct{ PreTokenBalances, PostTokenBalances []tokenBalance }
	}
	if err := w.ask("solana", "getTransaction", &tx, signature, map[string]any{
		"commitment": "finalized", "encoding": "json", "maxSupportedTransactionVersion": 1,
	}); err != nil {
		return 0, err
	}
	if tx == nil {
		return 0, fmt.Errorf("%s is final and not there", signature)
	}
	keys := tx.Transaction.Message.AccountKeys
	for sign, all := range map[int64][]tokenBalance{-1: tx.Meta.PreTokenBalances, 1: tx.Meta.PostTokenBalances} {
		for _, b := range all {
			if b.AccountIndex >= len(keys) || keys[b.AccountIndex] != account {
				continue
			}
			n, err := strconv.ParseInt(b.UITokenAmount.Amount, 10, 64)
			if err != nil {
				return 0, err
			}
			change += sign * n
		}
	}
	return change, nil
}

// holds is an error where something else is in a token account.
func (w *world) holds(account string, want int64) error {
	var is struct {
		Value *struct {
			Data struct {
				Parsed struct {
					Info struct{ TokenAmount struct{ Amount string } }
				}
			}
		}
	}
	if err := w.ask("solana", "getAccountInfo", &is, account, map[string]any{
		"commitment": "finalized", "encoding": "jsonParsed",
	}); err != nil {
		return err
	}
	got := "0"
	if is.Value != nil {
		got = is.Value.Data.Parsed.Info.TokenAmount.Amount
	}
	if got != strconv.FormatInt(want, 10) {
		return fmt.Errorf("%s has %s, and its transactions make %d", account, got, want)
	}
	return nil
}

// ask puts a question to the node of a network.
func (w *world) ask(slug, method string, result any, params ...any) error {
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	resp, err := http.Post(w.Devnet.RPCURL(slug), "application/json", bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer := struct {
		Result any
		Error  *struct{ Message string }
	}{Result: result}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s", method, answer.Error.Message)
	}
	return nil
}
