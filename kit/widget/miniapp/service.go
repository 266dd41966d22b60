package miniapp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Platform is the workspace in whose audit record the list is: none that anybody has.
const Platform = "platform"

// Types of mini apps.
var types = []string{"Swap", "Stake", "Transfer Native", "Tips", "Native Cross-Chain", "onboarding"}

// Service reads and keeps the list of one environment.
type Service struct {
	store       Store
	rules       action.Rules
	environment string
	clock       clock.Clock
}

// New makes a Service.
func New(s Store, environment chain.Environment, c clock.Clock) *Service {
	return &Service{s, action.RulesOf(environment), string(environment), c}
}

// Find finds one, also one that was switched off.
func (s *Service) Find(ctx context.Context, id string) (MiniApp, error) {
	m, err := s.store.MiniApp(ctx, s.environment, strings.ToLower(id))
	if errors.Is(err, fault.ErrNotFound) {
		err = fault.Missing("Mini app")
	}
	return m, err
}

// Metadata are what a widget renders. One that was switched off has none.
func (s *Service) Metadata(ctx context.Context, id string) (action.Metadata, error) {
	m, err := s.Find(ctx, id)
	if err == nil && !m.Active {
		err = fault.Missing("Mini app")
	}
	return m.Metadata, err
}

// Directory lists all, newest first.
func (s *Service) Directory(ctx context.Context, p page.Page) ([]rest.DirectoryEntry, *page.Cursor, int, error) {
	rows, next, total, err := s.List(ctx, p)
	all := make([]rest.DirectoryEntry, len(rows))
	for i, m := range rows {
		all[i] = m.entry()
	}
	return all, next, total, err
}

// List lists all with everything that is known of them, newest first.
func (s *Service) List(ctx context.Context, p page.Page) ([]MiniApp, *page.Cursor, int, error) {
	rows, total, err := s.store.MiniApps(ctx, s.environment, p)
	return rows, page.Next(p, rows, total, MiniApp.Cursor), total, err
}

// Listing is a mini app that the operator vouches for.
type Listing struct {
	Metadata         []byte // JSON
	Operator, Type   string
	Protocol         string
	Wallet, Contract string
	Chain            string // name, slug or chain id
	Destination      string
}

// Add lists a mini app. Its metadata are checked as those that the builders make.
func (s *Service) Add(ctx context.Context, cmd *command.Command, in Listing) (command.Answer, error) {
	m, err := s.read(in)
	if err != nil {
		return command.Answer{}, err
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 201, Message: "Mini app listed", Data: m.View(), Audit: command.Audit{
			Action: "miniapp.add", Resource: m.ID, WorkspaceID: Platform,
			After: map[string]any{"url": m.Metadata.URL, "operator": m.Operator, "wallet": m.Wallet},
		}}, tx.InsertMiniApp(ctx, m)
	})
}

// Switch has the directory call a mini app trusted or denied.
func (s *Service) Switch(
	ctx context.Context, cmd *command.Command, id string, active bool, reason string,
) (command.Answer, error) {
	m, err := s.Find(ctx, id)
	if err != nil {
		return command.Answer{}, err
	}
	was := m.Active
	m.Active, m.UpdatedAt = active, s.clock.Now()
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Message: "Mini app switched", Data: m.View(), Audit: command.Audit{
			Action: "miniapp.switch", Resource: m.ID, WorkspaceID: Platform,
			Detail: map[string]string{"reason": reason},
			Before: map[string]any{"active": was}, After: map[string]any{"active": active},
		}}, tx.SwitchMiniApp(ctx, s.environment, m.ID, active, m.UpdatedAt)
	})
}

// read makes a row of a listing. Its fields are named as the flags of the operator's command.
func (s *Service) read(in Listing) (m MiniApp, err error) {
	now := s.clock.Now()
	m = MiniApp{
		ID: uuid.NewString(), Environment: s.environment, Operator: strings.TrimSpace(in.Operator), Type: in.Type,
		Protocol: in.Protocol, Active: true, CreatedAt: now, UpdatedAt: now,
	}
	if m.Operator == "" || len(m.Operator) > 100 {
		return m, fault.Field("operator", "must be 1 to 100 characters")
	}
	if !slices.Contains(types, m.Type) {
		return m, fault.Field("type", fmt.Sprintf("must be one of %s", strings.Join(types, ", ")))
	}
	n, err := s.network("chain", in.Chain)
	if err != nil {
		return m, err
	}
	m.ChainID = n.ChainID
	if in.Destination != "" {
		to, err := s.network("destination", in.Destination)
		if err != nil {
			return m, err
		}
		m.DestinationID = to.ChainID
	}
	if m.Wallet, err = address("wallet", n, in.Wallet); err != nil {
		return m, err
	}
	if in.Contract != "" {
		if m.Contract, err = address("contract", n, in.Contract); err != nil {
			return m, err
		}
	}
	m.Metadata, err = s.rules.Read(in.Metadata)
	return m, err
}

func (s *Service) network(field, name string) (chain.Network, error) {
	n, ok := chain.Named(s.rules.Networks, name)
	if !ok {
		return n, fault.Field(field, chain.Unknown(s.rules.Networks))
	}
	return n, nil
}

func address(field string, n chain.Network, text string) (string, error) {
	family, _ := families.Of(n.Kind)
	canonical, err := family.ParseAddress(text)
	if err != nil {
		return "", fault.Field(field, "must be an address ("+family.Form().Typed+")")
	}
	return canonical, nil
}
