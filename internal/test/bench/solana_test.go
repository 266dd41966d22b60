package bench

import (
	"context"
	"fmt"
	"net/http"

	"github.com/railkit/railkit/chain"
	railkit "github.com/railkit/railkit/sdk/go"
)

// solanaReceiver has no account at the beginning.
const solanaReceiver = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"

// solanaByEVM are the same signatures on Solana and on EVM: no floor is in it.
func (c *customers) solanaByEVM() []flow {
	const aim, name = 0.5, "sign, Solana by EVM"
	return []flow{{name, 1, 40, aim, c.solanaSigns, c.signs}, {name, 8, 96, aim, c.solanaSigns, c.signs}}
}

// onSolana gives every customer an account there, and money.
func (c *customers) onSolana() ([]string, error) {
	if len(c.solana) > 0 {
		return c.solana, nil
	}
	var err error
	c.solana, err = many(len(c.all), func(i int) (string, error) {
		ctx, o := context.Background(), c.all[i]
		a, err := c.client.Addresses.Create(ctx, o.passkey, railkit.PrepareAccountRequest{
			WalletID: o.wallet.WalletID, Chain: "solana",
		})
		if err != nil {
			return "", err
		}
		for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
			if _, err := c.devnet.Faucet(ctx, "solana", a.Address, asset, amount); err != nil {
				return "", err
			}
		}
		return a.Address, nil
	})
	return c.solana, err
}

func (c *customers) solanaSigns(n int) ([]call, error) {
	from, err := c.onSolana()
	if err != nil {
		return nil, err
	}
	network, _ := chain.BySlug(chain.Sandbox, "solana")
	usdc, _ := network.TokenBySymbol("USDC")
	return many(n, func(int) (call, error) {
		turn := int(c.next.Add(1)) % len(c.all)
		p, err := c.client.Transactions.Prepare(context.Background(), railkit.PrepareTransactionRequest{
			Type: railkit.TransferToken, PayAgain: true, SignWith: from[turn], Network: network.Slug,
			To: solanaReceiver, Amount: "0.01", TokenAddress: usdc.Address,
		})
		if err != nil {
			return nil, fmt.Errorf("preparing on Solana: %w", err)
		}
		stamp, err := c.all[turn].passkey.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			return nil, err
		}
		send := false
		return c.confirm("/v1/transactions/confirm", railkit.ConfirmTransactionRequest{
			TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp), Broadcast: &send,
		}, http.StatusOK)
	})
}
