package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What the wallet does on Tron.
const (
	tronSlug   = "tron"
	tronToken  = "USDT" // no USDC is listed there
	tronTokens = "30"
	tronCoins  = "100"
	tronPays   = "1"
	tronFees   = "50000000" // sun: 50 TRX, more than a transfer of the token burns
	tronPlaces = 6          // of both
	tronSolid  = 19         // blocks, with that of the payment
)

// onTron is the story's part on Tron. Its payee has nothing there yet.
type onTron struct {
	*story
	address, contract string
}

func tronSteps(s *story) []step {
	o := &onTron{story: s}
	n, _ := chain.BySlug(chain.Sandbox, tronSlug)
	usdt, _ := n.TokenBySymbol(tronToken)
	o.contract = usdt.Address
	return []step{
		{"A Tron address gets " + tronTokens + " " + tronToken, o.open},
		{tronPays + " " + tronToken + " on Tron: energy, and its fee", o.pay},
	}
}

// open has the passkey stamp an account below the seed of before, and the faucet pay to it.
func (o *onTron) open(ctx context.Context) (string, error) {
	account, err := o.client.Addresses.Create(ctx, o.passkey, railkit.PrepareAccountRequest{
		WalletID: o.wallet.WalletID, Chain: tronSlug, Name: "On Tron",
	})
	if err != nil {
		return "", err
	}
	o.address = account.Address
	for _, gift := range [][2]string{{"native", tronCoins}, {tronToken, tronTokens}} {
		if _, err := o.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: tronSlug, Address: o.address, Asset: gift[0], Amount: gift[1],
		}); err != nil {
			return "", err
		}
	}
	return short(o.address) + " " + account.Path, o.wants(ctx, o.address, tronTokens)
}

// pay sends to somebody who has none of the token, has the blocks above made that a network makes within a minute, and
// reads at the node what was burnt of the fee that the passkey agreed to.
func (o *onTron) pay(ctx context.Context) (string, error) {
	var payee tron.Address
	if _, err := rand.Read(payee[:]); err != nil {
		return "", err
	}
	sent, err := o.client.Transactions.Send(ctx, o.passkey, railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: o.address, Network: tronSlug, To: payee.String(), Amount: tronPays,
		TokenAddress: o.contract, FeeLimit: tronFees,
	})
	if err != nil {
		return "", err
	}
	var mined any
	node := node{url: o.facts.TronURL, transport: o.recorder}
	if err := node.call(ctx, "dev_mine", []any{tronSolid}, &mined); err != nil {
		return "", err
	}
	if _, err := o.client.Transactions.WaitConfirmed(ctx, sent.TransactionID, o.Poll); err != nil {
		return "", err
	}
	words, err := o.burnt(ctx, sent)
	return words, errors.Join(err, o.wants(ctx, payee.String(), tronPays), o.wants(ctx, o.address, "29"))
}

// burnt tells the energy and the fee of a payment, which must not be more than was agreed to.
func (o *onTron) burnt(ctx context.Context, sent *railkit.Transaction) (string, error) {
	var info struct {
		Fee     int64
		Receipt struct {
			Result string
			Energy int64 `json:"energy_usage_total"`
		}
	}
	asked := map[string]any{"value": sent.TxHash}
	if err := o.tell(ctx, "/walletsolidity/gettransactioninfobyid", asked, &info); err != nil {
		return "", err
	}
	most, ok := new(big.Int).SetString(sent.Fee.MaxTotalFee, 10)
	if !ok || info.Receipt.Result != "SUCCESS" || info.Receipt.Energy == 0 || big.NewInt(info.Fee).Cmp(most) > 0 {
		return "", fmt.Errorf("the node says %+v of a payment with a fee of at most %s sun", info, sent.Fee.MaxTotalFee)
	}
	whole := func(sun *big.Int) string { return new(big.Int).Quo(sun, big.NewInt(1_000_000)).String() }
	burnt := formatUnits(big.NewInt(info.Fee/10_000), 2)
	return fmt.Sprintf("%d energy, %s of %s TRX", info.Receipt.Energy, burnt, whole(most)), nil
}

// wants has the node, not the server, say what an owner has of the token.
func (o *onTron) wants(ctx context.Context, owner, want string) error {
	address, err := tron.ParseAddress(owner)
	if err != nil {
		return err
	}
	var said struct {
		Result []string `json:"constant_result"`
	}
	if err := o.tell(ctx, "/wallet/triggerconstantcontract", map[string]any{
		"owner_address": owner, "contract_address": o.contract, "function_selector": "balanceOf(address)",
		"visible": true, "parameter": strings.Repeat("0", 24) + hex.EncodeToString(address[:]),
	}, &said); err != nil {
		return err
	}
	has, ok := new(big.Int).SetString(strings.Join(said.Result, ""), 16)
	if !ok || formatUnits(has, tronPlaces) != want {
		return fmt.Errorf("the node says that %s has %v millionths of a %s, not %s", short(owner), has, tronToken, want)
	}
	return nil
}

// tell asks the node of Tron, which speaks no JSON-RPC.
func (o *onTron) tell(ctx context.Context, path string, params, answer any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.facts.TronURL+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := (&http.Client{Transport: o.recorder}).Do(req)
	if err != nil {
		return fmt.Errorf("asking the node of Tron: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	return json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(answer)
}
