package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
)

// restart kills everything and starts it again: what was there must be there,
// field by field, and the enclave's journal must not have gone back.
func (s *story) restart(ctx context.Context) (string, error) {
	before, err := s.snapshot(ctx)
	if err != nil {
		return "", err
	}
	if err := s.World.KillAll(); err != nil {
		return "", fmt.Errorf("killing: %w", err)
	}
	s.recorder.forget()
	if err := s.startAgain(ctx); err != nil {
		return "", err
	}
	after, err := s.snapshot(ctx)
	if err != nil {
		return "", err
	}
	if changed := differences(before, after); len(changed) > 0 {
		return "", fmt.Errorf("after the restart these fields differ: %s", strings.Join(changed, ", "))
	}
	if err := s.nothingMoved(ctx); err != nil {
		return "", err
	}
	if err := s.sameAgain(ctx); err != nil {
		return "", err
	}
	// Made now, by the enclave, and refused if its journal were shorter than before.
	if _, err := s.client.Addresses.GetFresh(ctx, s.account.WalletID, s.account.Address); err != nil {
		return "", fmt.Errorf("asking the enclave: %w", err)
	}
	return fmt.Sprintf("unchanged in %d fields", len(after)), nil
}

// startAgain keeps the pinned key, the memory of the journal and the owners:
// the client does not start to trust anew.
func (s *story) startAgain(ctx context.Context) error {
	facts, err := s.World.Start(ctx)
	if err != nil {
		return fmt.Errorf("starting again: %w", err)
	}
	if facts.EnclaveKey != s.facts.EnclaveKey || facts.WorkspaceID != s.facts.WorkspaceID ||
		facts.APIKey != s.facts.APIKey {
		return errors.New("the same data gave another enclave key, workspace or API key")
	}
	s.facts = facts
	owners, _ := s.client.SubOrganizations.KnownOwners(s.owner.SubOrganizationID)
	if s.client, err = s.newClient(s.recorder); err != nil {
		return err
	}
	s.client.SubOrganizations.TrustOwners(s.owner.SubOrganizationID, owners)
	return nil
}

// snapshot is everything that the API tells of the story, as path and value.
func (s *story) snapshot(ctx context.Context) (map[string]string, error) {
	all := map[string]string{}
	for _, part := range []struct {
		name string
		read func() (any, error)
	}{
		{"passkeys", func() (any, error) { return s.client.Passkeys.List(ctx, s.owner.SubOrganizationID) }},
		{"wallet", func() (any, error) { return s.client.Wallets.Get(ctx, s.wallet.WalletID) }},
		{"addresses", func() (any, error) { return s.client.Addresses.List(ctx, s.wallet.WalletID) }},
		{"transactions",
			func() (any, error) { return s.client.Transactions.List(ctx, railkit.TransactionListOptions{}) }},
		{"history", func() (any, error) {
			return s.client.Wallets.ListTransactions(ctx, s.wallet.WalletID, railkit.ListOptions{})
		}},
		{"broadcast", func() (any, error) { return s.client.Transactions.GetBroadcast(ctx, s.sent.TransactionID) }},
		{"payees", func() (any, error) { return s.client.Payees.Book(ctx, s.owner.SubOrganizationID) }},
		{"payouts", func() (any, error) { return s.ordersOf(ctx) }},
	} {
		value, err := part.read()
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", part.name, err)
		}
		if err := flatten(part.name, value, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func flatten(name string, value any, into map[string]string) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	walk(name, tree, into)
	return nil
}

func walk(path string, tree any, into map[string]string) {
	switch v := tree.(type) {
	case map[string]any:
		for k, child := range v {
			walk(path+"."+k, child, into)
		}
	case []any:
		for i, child := range v {
			walk(fmt.Sprintf("%s[%d]", path, i), child, into)
		}
	default:
		into[path] = fmt.Sprint(v)
	}
}

// differences names the fields that are not the same. Confirmations grow by themselves.
func differences(a, b map[string]string) []string {
	var names []string
	for name := range a {
		if other, ok := b[name]; (!ok || other != a[name]) && !strings.HasSuffix(name, ".confirmations") {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
