package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"

	"github.com/railkit/railkit/chain"
	nodes "github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
	tronrpc "github.com/railkit/railkit/chain/tron/rpc"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What the wallet does on each network that is none of EVM.
const (
	placeTokens = "30"
	placePays   = "1"
	placeLeft   = "29"
)

// place is the story's part on such a network: an account, and a payment to somebody who has nothing there.
type place struct {
	*story
	slug, name, token string
	coins             string // of the network's own, from the faucet
	fees              string // the most that a payment may cost, in the coin's smallest unit
	paying            string // what the step of the payment is called
	mined             int    // blocks that are made for the payment to count, which take the network a minute; 0: none

	url      func(Facts) string
	newPayee func() (address string, err error)
	dial     func(url string, n chain.Network) (nodes.Client, error)
	told     func(ctx context.Context, n node, sent *railkit.Transaction) (words string, err error) // by the node

	network        chain.Network
	listed         chain.Token
	address, payee string
}

func (p *place) steps() []step {
	p.network, _ = chain.BySlug(chain.Sandbox, p.slug)
	p.listed, _ = p.network.TokenBySymbol(p.token)
	return []step{
		{"A " + p.name + " address gets " + placeTokens + " " + p.token, p.open},
		{p.paying, p.pay},
	}
}

// open has the passkey stamp an account below the seed of before, and the faucet pay to it.
func (p *place) open(ctx context.Context) (string, error) {
	account, err := p.client.Addresses.Create(ctx, p.passkey, railkit.PrepareAccountRequest{
		WalletID: p.wallet.WalletID, Chain: p.slug, Name: "On " + p.name,
	})
	if err != nil {
		return "", err
	}
	p.address = account.Address
	for _, gift := range [][2]string{{"native", p.coins}, {p.token, placeTokens}} {
		if _, err := p.client.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: p.slug, Address: p.address, Asset: gift[0], Amount: gift[1],
		}); err != nil {
			return "", err
		}
	}
	return short(p.address) + " " + account.Path, p.wants(ctx, p.address, placeTokens)
}

// pay sends to somebody who has nothing there.
func (p *place) pay(ctx context.Context) (words string, err error) {
	if p.payee, err = p.newPayee(); err != nil {
		return "", err
	}
	sent, err := p.client.Transactions.Send(ctx, p.passkey, p.wish(placePays))
	if err != nil {
		return "", err
	}
	if err := p.mine(ctx, p.mined); err != nil {
		return "", err
	}
	if _, err := p.client.Transactions.WaitConfirmed(ctx, sent.TransactionID, p.Poll); err != nil {
		return "", err
	}
	words, err = p.told(ctx, p.chain(), sent)
	return words, errors.Join(err, p.wants(ctx, p.payee, placePays), p.wants(ctx, p.address, placeLeft))
}

func (p *place) chain() node { return node{url: p.url(p.facts), transport: p.recorder} }

// mine has blocks made at once.
func (p *place) mine(ctx context.Context, blocks int) error {
	var mined any
	if blocks == 0 {
		return nil
	}
	return p.chain().call(ctx, "dev_mine", []any{blocks}, &mined)
}

// wish is a payment to the payee.
func (p *place) wish(amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: p.address, Network: p.slug, To: p.payee, Amount: amount,
		TokenAddress: p.listed.Address, FeeLimit: p.fees,
	}
}

// wants has the node, not the server, say what an owner has of the token.
func (p *place) wants(ctx context.Context, owner, want string) error {
	client, err := p.dial(p.url(p.facts), p.network)
	if err != nil {
		return err
	}
	defer client.Close()
	has, err := client.Balances(ctx, []string{owner}, []string{p.listed.Address})
	if err != nil {
		return err
	}
	if got := formatUnits(has[0].Tokens[0], p.listed.Decimals); got != want {
		return fmt.Errorf("the node says that %s has %s %s, not %s", short(owner), got, p.token, want)
	}
	return nil
}

// onTron is with USDT: no USDC is listed there.
func onTron(s *story) *place {
	return &place{
		story: s, slug: "tron", name: "Tron", token: "USDT", coins: "100",
		paying: "1 USDT on Tron: energy, and its fee",
		fees:   "50000000", // sun: 50 TRX, more than a transfer of the token burns
		mined:  19,         // with that of the payment
		url:    func(f Facts) string { return f.TronURL },
		newPayee: func() (string, error) {
			var key tron.Address
			_, err := rand.Read(key[:])
			return key.String(), err
		},
		dial: func(u string, n chain.Network) (nodes.Client, error) { return tronrpc.DialAll(u, n) },
		told: burntOnTron,
	}
}

// burntOnTron tells the energy and the fee of a payment, which must not be more than was agreed to.
func burntOnTron(ctx context.Context, n node, sent *railkit.Transaction) (string, error) {
	var info struct {
		Fee     int64
		Receipt struct {
			Result string
			Energy int64 `json:"energy_usage_total"`
		}
	}
	asked := map[string]any{"value": sent.TxHash}
	if err := n.post(ctx, "/walletsolidity/gettransactioninfobyid", asked, &info); err != nil {
		return "", err
	}
	most, ok := new(big.Int).SetString(sent.Fee.MaxTotalFee, 10)
	if !ok || info.Receipt.Result != "SUCCESS" || info.Receipt.Energy == 0 || big.NewInt(info.Fee).Cmp(most) > 0 {
		return "", fmt.Errorf("the node says %+v of a payment with a fee of at most %s sun", info, sent.Fee.MaxTotalFee)
	}
	burnt, whole := formatUnits(big.NewInt(info.Fee/10_000), 2), most.Quo(most, big.NewInt(1_000_000))
	return fmt.Sprintf("%d energy, %s of %s TRX", info.Receipt.Energy, burnt, whole), nil
}
