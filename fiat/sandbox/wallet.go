package sandbox

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat/sandbox/onchain"
	"github.com/railkit/railkit/money"
)

type wallet struct {
	ID        string    `json:"id"`
	Customer  string    `json:"customer_id"`
	Chain     string    `json:"chain"`
	Address   string    `json:"address"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

type holding struct {
	Balance  string         `json:"balance"`
	Currency money.Currency `json:"currency"`
	Chain    string         `json:"chain"`
	Contract string         `json:"contract_address"`
}

// createWallet makes another wallet of a customer.
func createWallet(t *tx, r request) (any, error) {
	c, err := activeCustomer(&t.view, r.PathValue("customer"))
	if err != nil {
		return nil, err
	}
	var asked wallet
	if err := r.into(&asked); err != nil {
		return nil, err
	}
	on, ok := t.s.chain(asked.Chain)
	if !ok {
		return nil, invalid("chain", "is not one that the partner is on")
	}
	w := wallet{ID: uuid.NewString(), Customer: c.ID, Chain: asked.Chain, CreatedAt: t.stamp(), UpdatedAt: t.stamp()}
	if w.Address, err = t.newAddress(on, onchain.Wallet); err != nil {
		return nil, err
	}
	return w, t.put(row{kind: walletKind, id: w.ID, owner: c.ID, ref: w.Chain}, w)
}

// newAddress is one that was never given out.
func (t *tx) newAddress(on *onchain.Chain, branch uint32) (string, error) {
	index, err := t.next([]string{"treasuries", "addresses", "wallets"}[branch])
	if err != nil {
		return "", err
	}
	return on.Address(branch, index)
}

func walletOf(v *view, customer, id string) (wallet, error) {
	var w wallet
	found, err := find(v, &w, "kind = ? AND id = ? AND owner = ?", walletKind, id, customer)
	if err == nil && !found {
		err = errNotFound
	}
	return w, err
}

func getWallet(v *view, r request) (any, error) {
	w, err := walletOf(v, r.PathValue("customer"), r.PathValue("wallet"))
	if err != nil {
		return nil, err
	}
	held, err := holdings(v, w)
	return struct {
		wallet
		Balances []holding `json:"balances"`
	}{w, held}, err
}

func holdings(v *view, w wallet) ([]holding, error) {
	on, _ := v.s.chain(w.Chain)
	held := []holding{}
	for _, token := range on.Network().Tokens {
		c, err := money.ParseCurrency(token.Symbol)
		if err != nil {
			continue
		}
		sum, err := balance(v, walletAccount(w.ID), c)
		if err != nil {
			return nil, err
		}
		held = append(held, holding{sum.String(), c, w.Chain, token.Address})
	}
	return held, nil
}

func listWallets(v *view, r request) (any, error) {
	return list[wallet](v, r, walletKind, "owner = ?", r.PathValue("customer"))
}

type liquidation struct {
	ID                  string         `json:"id"`
	Customer            string         `json:"customer_id"`
	Chain               string         `json:"chain"`
	Currency            money.Currency `json:"currency"`
	Address             string         `json:"address"`
	Wallet              string         `json:"bridge_wallet_id"`
	DestinationRail     string         `json:"destination_payment_rail"`
	DestinationCurrency money.Currency `json:"destination_currency"`
	State               string         `json:"state"`
	CreatedAt           time.Time      `json:"created_at"`
	UpdatedAt           time.Time      `json:"updated_at"`
}

// createLiquidation gives out an address that was never given out before.
func createLiquidation(t *tx, r request) (any, error) {
	c, err := activeCustomer(&t.view, r.PathValue("customer"))
	if err != nil {
		return nil, err
	}
	var l liquidation
	if err := r.into(&l); err != nil {
		return nil, err
	}
	on, err := t.checkLiquidation(c, &l)
	if err != nil {
		return nil, err
	}
	l.ID, l.State, l.CreatedAt, l.UpdatedAt = uuid.NewString(), active, t.stamp(), t.stamp()
	if l.Address, err = t.newAddress(on, onchain.Liquidation); err != nil {
		return nil, err
	}
	return l, t.put(row{kind: addressKind, id: l.ID, owner: c.ID, ref: l.Chain}, l)
}

func (t *tx) checkLiquidation(c customer, l *liquidation) (*onchain.Chain, error) {
	l.Customer = c.ID
	on, ok := t.s.chain(l.Chain)
	if !ok {
		return nil, invalid("chain", "is not one that the partner is on")
	}
	if !l.Currency.Stable() || !slices.ContainsFunc(on.Network().Tokens, func(k chain.Token) bool {
		return lower(k.Symbol) == l.Currency
	}) {
		return nil, invalid("currency", "is not one that the partner takes on this chain")
	}
	w, err := walletOf(&t.view, c.ID, l.Wallet)
	if err != nil {
		return nil, missing("bridge_wallet_id")
	}
	if w.Chain != l.Chain || l.DestinationRail != "" && l.DestinationRail != l.Chain {
		return nil, invalid("destination_payment_rail", "is the chain of the address and of the wallet")
	}
	if l.DestinationCurrency != "" && l.DestinationCurrency != l.Currency {
		return nil, invalid("destination_currency", "is the currency of the address")
	}
	l.DestinationRail, l.DestinationCurrency = l.Chain, l.Currency
	return on, t.checkRoute(*l)
}

var errDuplicate = refuse(http.StatusBadRequest, "duplicate_record",
	"there is a liquidation address of this chain, currency and destination")

// checkRoute refuses a second address of one chain and currency to one wallet.
func (t *tx) checkRoute(l liquidation) error {
	var was liquidation
	found, err := find(&t.view, &was,
		"kind = ? AND owner = ? AND doc ->> 'bridge_wallet_id' = ? AND doc ->> 'currency' = ?",
		addressKind, l.Customer, l.Wallet, l.Currency)
	if err == nil && found {
		err = errDuplicate
	}
	return err
}

// lower is a token's symbol as a currency.
func lower(symbol string) money.Currency {
	c, _ := money.ParseCurrency(symbol) // "" where it is none
	return c
}

func getLiquidation(v *view, r request) (any, error) {
	var l liquidation
	found, err := find(v, &l, "kind = ? AND id = ? AND owner = ?", addressKind,
		r.PathValue("address"), r.PathValue("customer"))
	if err == nil && !found {
		err = errNotFound
	}
	return l, err
}

func listLiquidations(v *view, r request) (any, error) {
	return list[liquidation](v, r, addressKind, "owner = ?", r.PathValue("customer"))
}

// listAllLiquidations lists the addresses of all customers.
func listAllLiquidations(v *view, r request) (any, error) {
	return list[liquidation](v, r, addressKind, "true")
}
