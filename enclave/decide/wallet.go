package decide

import (
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/text"
)

// Bounds per organization, as in the field.
const (
	maxWallets     = 100
	maxPerActivity = 20
	maxName        = 100
)

const defaultMnemonic = "12"

func makeWallet(c call, p *wire.CreateWalletParams) (Event, error) {
	words := map[string]int{defaultMnemonic: 12, "24": 24}[p.MnemonicLength]
	if words == 0 {
		return Event{}, refusal.ErrBody.Msg("mnemonicLength is neither 12 nor 24")
	}
	if err := checkName("walletName", p.WalletName); err != nil {
		return Event{}, err
	}
	for _, w := range c.org.wallets {
		if w.Name == p.WalletName {
			return Event{}, refusal.ErrWalletExists
		}
	}
	if len(c.org.wallets)-c.org.agentWallets() >= maxWallets {
		return Event{}, refusal.ErrBody.Msg("the sub-organization has 100 wallets, the most there can be")
	}
	id := newID(c.sub.Fingerprint, "wallet")
	accounts, err := plan(id, nil, p.Accounts)
	if err != nil {
		return Event{}, err
	}
	return Event{
		Kind: EventWallet,
		Wallet: &NewWallet{
			Wallet: wire.Wallet{ID: id, Name: p.WalletName, CreatedAt: clock.ISO(c.now)}, Words: words,
		},
		Accounts: accounts,
		Owners:   c.org.owners(),
	}, nil
}

func addAccounts(c call, p *wire.CreateWalletAccountsParams) (Event, error) {
	w, ok := c.wallets[p.WalletID]
	if !ok || w.organizationID != c.org.ID {
		return Event{}, refusal.ErrAccount
	}
	if len(p.Accounts) == 0 {
		return Event{}, refusal.ErrBody.Msg("accounts is empty")
	}
	accounts, err := plan(w.ID, w.accounts, p.Accounts)
	if err != nil {
		return Event{}, err
	}
	return Event{Kind: EventAccounts, Accounts: accounts, Owners: c.org.owners()}, nil
}

func showWallet(c call, p *wire.CreateWalletParams) (*wire.Preview, error) {
	e, err := makeWallet(c, p)
	if err != nil {
		return nil, err
	}
	return &wire.Preview{WalletName: p.WalletName, WalletID: e.Wallet.ID, Accounts: e.Accounts}, nil
}

func showAccounts(c call, p *wire.CreateWalletAccountsParams) (*wire.Preview, error) {
	e, err := addAccounts(c, p)
	if err != nil {
		return nil, err
	}
	return &wire.Preview{WalletID: p.WalletID, WalletName: c.wallets[p.WalletID].Name, Accounts: e.Accounts}, nil
}

// plan is the accounts that shall come to be, still without keys and addresses.
func plan(walletID string, have []wire.Account, want []wire.AccountParams) ([]wire.Account, error) {
	if len(want) > maxPerActivity {
		return nil, refusal.ErrBody.Msg("accounts has more than 20 entries")
	}
	taken := map[string]bool{}
	for _, a := range have {
		taken[a.Path] = true
	}
	var planned []wire.Account
	for _, a := range want {
		if err := checkAccount(a); err != nil {
			return nil, err
		}
		if taken[a.Path] {
			return nil, refusal.ErrPathTaken
		}
		taken[a.Path] = true
		planned = append(planned, wire.Account{
			WalletID: walletID, Path: a.Path, Curve: a.Curve, AddressFormat: a.AddressFormat,
		})
	}
	return planned, nil
}

func checkAccount(a wire.AccountParams) error {
	f, ok := families.OfFormat(a.AddressFormat)
	if !ok || a.Curve != f.Form().Curve || a.PathFormat != f.Form().PathFormat {
		return refusal.ErrBody.Msg("an account is " + families.Accounts())
	}
	steps, err := keystore.ParsePath(a.Curve, a.Path)
	if err != nil {
		return refusal.ErrBody.Msg("path is not of the form " + f.Form().PathOf(0))
	}
	for _, other := range families.All() {
		if other.Kind() != f.Kind() && other.Form().Curve == a.Curve && sameCoin(steps, other.Form()) {
			return refusal.ErrBody.Msg("path is that of an account of " + other.Form().AddressFormat +
				": one key would sign for two kinds of chains")
		}
	}
	return nil
}

// sameCoin reports whether a path begins with purpose and coin type of a form's.
func sameCoin(steps []uint32, f chain.AccountForm) bool {
	own, err := keystore.ParsePath(f.Curve, f.PathOf(0))
	return err == nil && len(steps) > 1 && slices.Equal(steps[:2], own[:2])
}

// checkName refuses what could make one name look like another on a screen.
func checkName(field, name string) error {
	if name == "" || len(name) > maxName || strings.TrimSpace(name) != name {
		return refusal.ErrBody.Msg(field + " is empty, longer than 100 bytes, or has space around it")
	}
	if !text.Visible(name) || text.Skeleton(name) == "" { // U+FE0F alone makes nothing an emoji
		return refusal.ErrBody.Msg(field + " has a character that cannot be seen")
	}
	return nil
}
