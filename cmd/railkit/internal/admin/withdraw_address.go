package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/rest"
)

// routesAt lists the addresses that the partner of some settings has of a customer.
func routesAt(c config.Server) (func(context.Context, string) ([]withdraw.Made, error), error) {
	partner, err := bridge.New(bridge.Config{URL: c.PartnerURL, Key: c.PartnerKey, Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, customerID string) (made []withdraw.Made, err error) {
		all, err := partner.Routes(ctx, customerID)
		for _, r := range all {
			made = append(made, withdraw.Made{
				PartnerID: r.ID, CustomerID: r.CustomerID, WalletID: r.WalletID, Chain: r.Chain,
				Currency: strings.ToLower(r.Currency), Address: r.Address,
			})
		}
		return made, err
	}, nil
}

// takeOverAddress makes the row of an address that the partner has and the database does not know.
func takeOverAddress(ctx context.Context, env cli.Env, args []string) error {
	f := cli.Flags(env, "admin withdraw-address take-over")
	workspace := f.String("workspace", "", "id of its workspace")
	account := f.String("bank-account", "", "id of the bank account that it pays out to")
	address := f.String("address", "", "the address, as admin reconcile lists it")
	return sit(ctx, env, f, args, []string{"partner-url", "partner-key"}, func(d *desk, c app.Config) error {
		if *workspace == "" || *account == "" || *address == "" || c.PartnerURL == "" {
			return cli.UsageError(errors.New("--workspace, --bank-account, --address and --partner-url: must be given"))
		}
		list, err := routesAt(c.Server)
		if err != nil {
			return err
		}
		customer, err := d.store.Payout().PartnerCustomer(ctx, *workspace)
		if err != nil {
			return err
		}
		all, err := list(ctx, customer.CustomerID)
		if err != nil {
			return err
		}
		for _, made := range all {
			if !fiat.SameOnChain(made.Address, *address) {
				continue
			}
			order := d.order("withdraw-address take-over", *workspace)
			v, err := answered[rest.WithdrawAddress](d.orders().Addresses.TakeOver(ctx, order, *account, made))
			if err == nil {
				fmt.Fprintln(d.Out, v.ID)
			}
			return err
		}
		return errors.New("the partner has no such address of this workspace")
	})
}
