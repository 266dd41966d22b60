package bridge

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

type walletBody struct {
	Chain string `json:"chain"`
}

type walletAnswer struct {
	ID       string    `json:"id"`
	Chain    string    `json:"chain"`
	Address  string    `json:"address"`
	Balances []balance `json:"balances"`
}

type balance struct {
	Balance  decimal `json:"balance"`
	Currency string  `json:"currency"`
	Chain    string  `json:"chain"`
}

// The forms of an address: on Solana 32 bytes in base58, on every other chain that is served here 20 in hexadecimal.
var (
	base58Form = pattern(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)
	hexForm    = pattern(`^0x[0-9a-fA-F]{40}$`)
)

// onChain refuses an address that is not one of the chain's.
func onChain(chain, address string) error {
	form := hexForm
	if chain == "solana" {
		form = base58Form
	}
	if !form().MatchString(address) {
		return fmt.Errorf("an address: %w", fiat.ErrAnswer)
	}
	return nil
}

// CreateWallet makes a custody wallet.
func (c *Client) CreateWallet(ctx context.Context, key, customerID, chain string) (fiat.Wallet, error) {
	at, err := path("customers", customerID, "wallets")
	if err != nil {
		return fiat.Wallet{}, err
	}
	var a walletAnswer
	if err := c.post(ctx, at, key, walletBody{chain}, &a); err != nil {
		return fiat.Wallet{}, err
	}
	if a.Chain != chain {
		return fiat.Wallet{}, fmt.Errorf("another chain than asked for: %w", fiat.ErrAnswer)
	}
	return fiat.Wallet{ID: a.ID, Chain: a.Chain, Address: a.Address}, firstOf(told(a.ID), onChain(a.Chain, a.Address))
}

// WalletBalances tells what a wallet holds of the currencies that are known here.
func (c *Client) WalletBalances(ctx context.Context, customerID, id string) ([]money.Amount, error) {
	a, err := c.wallet(ctx, customerID, id)
	if err != nil {
		return nil, err
	}
	return a.amounts()
}

func (c *Client) wallet(ctx context.Context, customerID, id string) (walletAnswer, error) {
	at, err := path("customers", customerID, "wallets", id)
	if err != nil {
		return walletAnswer{}, err
	}
	var a walletAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return walletAnswer{}, err
	}
	if a.ID != id {
		return walletAnswer{}, fmt.Errorf("another wallet than asked for: %w", fiat.ErrAnswer)
	}
	return a, nil
}

func (a walletAnswer) amounts() ([]money.Amount, error) {
	var all []money.Amount
	seen := map[money.Currency]bool{}
	for _, b := range a.Balances {
		currency := money.Currency(b.Currency)
		if !currency.Known() || b.Chain != "" && b.Chain != a.Chain {
			continue
		}
		amount, err := b.Balance.amount(currency)
		if err != nil {
			return nil, err
		}
		if seen[currency] {
			return nil, fmt.Errorf("two balances of one currency: %w", fiat.ErrAnswer)
		}
		seen[currency], all = true, append(all, amount)
	}
	return all, nil
}

type liquidationBody struct {
	Chain               string `json:"chain"`
	Currency            string `json:"currency"`
	WalletID            string `json:"bridge_wallet_id"`
	DestinationRail     string `json:"destination_payment_rail"`
	DestinationCurrency string `json:"destination_currency"`
}

type liquidationAnswer struct {
	ID         string `json:"id"`
	CustomerID string `json:"customer_id"`
	Chain      string `json:"chain"`
	Currency   string `json:"currency"`
	WalletID   string `json:"bridge_wallet_id"`
	Address    string `json:"address"`
}

// CreateLiquidationAddress makes an address whose deposits go to a wallet, in the
// same currency on the same chain.
func (c *Client) CreateLiquidationAddress(
	ctx context.Context, key, customerID string, q fiat.LiquidationRequest,
) (fiat.LiquidationAddress, error) {
	at, err := path("customers", customerID, "liquidation_addresses")
	if err != nil {
		return fiat.LiquidationAddress{}, err
	}
	body := liquidationBody{q.Chain, string(q.Currency), q.WalletID, q.Chain, string(q.Currency)}
	var a liquidationAnswer
	if err := c.post(ctx, at, key, body, &a); err != nil {
		return fiat.LiquidationAddress{}, err
	}
	return fiat.LiquidationAddress{ID: a.ID, Chain: a.Chain, Address: a.Address}, a.check(customerID, q)
}

func (a liquidationAnswer) check(customerID string, q fiat.LiquidationRequest) error {
	if a.Chain != q.Chain || a.Currency != string(q.Currency) {
		return fmt.Errorf("another chain or currency than asked for: %w", fiat.ErrAnswer)
	}
	return firstOf(told(a.ID), onChain(a.Chain, a.Address), same("customer", a.CustomerID, customerID),
		same("wallet", a.WalletID, q.WalletID))
}
