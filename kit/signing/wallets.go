package signing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// PrepareWalletInput asks for a wallet.
type PrepareWalletInput struct {
	WalletName        string `json:"walletName" minLength:"1" maxLength:"100"`
	Chain             string `json:"chain,omitempty" doc:"Also makes the first address, on this network"`
	SubOrganizationID string `json:"subOrganizationId,omitempty" doc:"Whose wallet; needed where the workspace has several sub-organizations"`
}

// PreparedWallet is a wallet that waits for its stamp.
type PreparedWallet struct {
	WalletRequestID string `json:"walletRequestId"`
	Prepared
}

// PrepareWallet writes the body of a new wallet.
func (s *Service) PrepareWallet(ctx context.Context, cmd *command.Command, in PrepareWalletInput) (command.Answer, error) {
	sub, err := s.subOrganization(ctx, cmd.Principal.WorkspaceID, in.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	accounts := []wire.AccountParams{}
	if in.Chain != "" {
		if accounts, err = s.accountParams(in.Chain, defaultPath(0)); err != nil {
			return command.Answer{}, err
		}
	}
	d := draft{
		kind: wire.CreateWallet, sub: sub, id: newID(), url: "/v1/signing/wallets/confirm",
		params: wire.CreateWalletParams{WalletName: in.WalletName, MnemonicLength: "12", Accounts: accounts},
	}
	if err := s.prepare(ctx, &d); err != nil {
		return command.Answer{}, err
	}
	a, err := d.activity()
	if err != nil {
		return command.Answer{}, err
	}
	a.WalletID, a.Name, a.Chain = uuid.NewString(), in.WalletName, in.Chain
	view := PreparedWallet{WalletRequestID: a.ID, Prepared: d.Prepared}
	return s.commitActivity(ctx, cmd, a, d.ceremony, view, "wallet.prepare")
}

func (d draft) activity() (Activity, error) {
	preview, err := d.preview()
	return Activity{
		WorkspaceID: d.sub.WorkspaceID, ID: d.id, Kind: string(d.kind), SubOrganizationID: d.sub.ID,
		Body: d.body, Fingerprint: d.Fingerprint, Preview: preview, State: Awaiting, CreatedAt: d.now, ExpiresAt: d.expires(),
	}, err
}

func (s *Service) commitActivity(ctx context.Context, cmd *command.Command, a Activity, c Ceremony, view any, action string) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view, Audit: command.Audit{Action: action, Resource: a.ID},
		}, errors.Join(tx.InsertActivity(ctx, a), c.insert(ctx, tx))
	})
}

// ConfirmWalletInput is a stamped wallet.
type ConfirmWalletInput struct {
	WalletRequestID string  `json:"walletRequestId" format:"uuid"`
	SignedActivity  Stamped `json:"signedActivity"`
}

// WalletCreated is a new wallet, in the words of the spec and those of the detail.
type WalletCreated struct {
	Name      string `json:"name"`
	CreatedAt string `json:"createdAt" format:"date-time"`
	WalletView
}

// ConfirmWallet has the enclave make the wallet.
func (s *Service) ConfirmWallet(ctx context.Context, cmd *command.Command, in ConfirmWalletInput) (command.Answer, error) {
	a, out, err := s.confirmActivity(ctx, cmd, in.WalletRequestID, wire.CreateWallet, in.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	w, addresses, err := walletOf(a, out)
	if err != nil {
		return command.Answer{}, err
	}
	view := WalletCreated{Name: w.Name, CreatedAt: clock.ISO(w.CreatedAt), WalletView: w.view(addresses)}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 201, Message: "Wallet created", Data: view, Audit: command.Audit{Action: "wallet.create", Resource: w.EnclaveID},
		}, errors.Join(s.finishWallet(ctx, tx, a, w, addresses), s.used(ctx, tx, a.WorkspaceID, a.SubOrganizationID, &in.SignedActivity.Stamp))
	})
}

// finishWallet writes what the enclave made. It may run again after a crash or
// beside another caller: every row is the same row then.
func (s *Service) finishWallet(ctx context.Context, tx Tx, a Activity, w Wallet, addresses []Address) error {
	if err := tx.InsertWallet(ctx, w); err != nil {
		return err
	}
	return s.finishAddresses(ctx, tx, a, addresses)
}

func (s *Service) finishAddresses(ctx context.Context, tx Tx, a Activity, addresses []Address) error {
	for _, address := range addresses {
		if err := tx.InsertAddress(ctx, address); err != nil {
			return err
		}
	}
	return s.done(ctx, tx, a)
}

func (s *Service) done(ctx context.Context, tx Tx, a Activity) error {
	_, err := s.moved(ctx, tx, a)
	return err
}

// moved notes that an activity is done, and tells whether this caller was the first.
func (s *Service) moved(ctx context.Context, tx Tx, a Activity) (bool, error) {
	err := ErrStale
	for _, from := range []State{Awaiting, AwaitingApproval} {
		if errors.Is(err, ErrStale) {
			err = tx.MoveActivity(ctx, a.WorkspaceID, a.ID, from, Confirmed, a.WalletID, s.clock.Now())
		}
	}
	if errors.Is(err, ErrStale) { // another caller was faster with the same result
		return false, nil
	}
	return err == nil, err
}

// confirmActivity checks what came back against what was prepared and lets the
// enclave execute it. One that was executed before is executed never again: the
// enclave gives its first result.
func (s *Service) confirmActivity(ctx context.Context, cmd *command.Command, id string, kind wire.ActivityType, in Stamped) (Activity, client.Outcome, error) {
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return a, client.Outcome{}, err
	}
	if a.Kind != string(kind) {
		return a, client.Outcome{}, fault.Missing("Wallet request")
	}
	if in.Body != a.Body {
		return a, client.Outcome{}, ErrStampedBody
	}
	if a.State == Expired || a.State == Cancelled {
		return a, client.Outcome{}, ErrRequestExpired
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: a.Body, Stamp: &in.Stamp}, a.Fingerprint)
	if err == nil && out.State != wire.Done {
		err = ErrRequestExpired
	}
	return a, out, err
}

// walletOf reads a wallet out of the enclave's result.
func walletOf(a Activity, out client.Outcome) (Wallet, []Address, error) {
	r := out.Statement.Result
	if r == nil || r.Wallet == nil {
		return Wallet{}, nil, errors.New("the enclave's answer to a new wallet names none")
	}
	at, err := time.Parse(time.RFC3339, r.Wallet.CreatedAt)
	if err != nil {
		return Wallet{}, nil, fmt.Errorf("reading a wallet's time: %w", err)
	}
	proof, err := text(out.Proof)
	if err != nil {
		return Wallet{}, nil, err
	}
	w := Wallet{
		WorkspaceID: a.WorkspaceID, ID: a.WalletID, EnclaveID: r.Wallet.ID, SubOrganizationID: a.SubOrganizationID,
		Name: r.Wallet.Name, Proof: proof, CreatedAt: at,
	}
	addresses, err := addressesOf(a, out)
	return w, addresses, err
}

// WalletView is a wallet as the API shows it.
type WalletView struct {
	WalletID          string          `json:"walletId" doc:"The enclave's id of the wallet"`
	WalletName        string          `json:"walletName"`
	Addresses         []WalletAddress `json:"addresses"`
	SubOrganizationID string          `json:"subOrganizationId"`
	ID                string          `json:"id" doc:"Local id; accepted wherever walletId is"`
	Created           string          `json:"created_at" format:"date-time"`
	Type              string          `json:"type" enum:"master,agent,operational"`
	LastActivity      *string         `json:"lastActivity" format:"date-time"`
	Proof             wire.Proof      `json:"proof"`
}

// WalletAddress is an address inside a wallet.
type WalletAddress struct {
	Address         string `json:"address"`
	Path            string `json:"path"`
	AddressFormat   string `json:"addressFormat"`
	Chain           string `json:"chain"`
	WalletAccountID string `json:"walletAccountId"`
	PublicKey       string `json:"publicKey"`
}

func (w Wallet) view(addresses []Address) WalletView {
	v := WalletView{
		WalletID: w.EnclaveID, WalletName: w.Name, SubOrganizationID: w.SubOrganizationID, ID: w.ID, Created: clock.ISO(w.CreatedAt),
		Type: "master", LastActivity: isoOrNil(w.LastActivity), Addresses: []WalletAddress{}, Proof: proofOf(w.Proof),
	}
	for _, a := range addresses {
		v.Addresses = append(v.Addresses, WalletAddress{
			Address: a.Address, Path: a.Path, AddressFormat: a.AddressFormat, Chain: a.Chain, WalletAccountID: a.ID, PublicKey: a.PublicKey,
		})
	}
	return v
}

// Wallets lists wallets, with where the page after this one begins.
func (s *Service) Wallets(ctx context.Context, f WalletFilter) ([]WalletView, *Cursor, int, error) {
	rows, total, err := s.store.Wallets(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	var ids []string
	for _, w := range rows {
		ids = append(ids, w.ID)
	}
	all, err := s.store.AddressesOf(ctx, f.WorkspaceID, ids)
	if err != nil {
		return nil, nil, 0, err
	}
	addresses := map[string][]Address{}
	for _, a := range all {
		addresses[a.WalletID] = append(addresses[a.WalletID], a)
	}
	views := []WalletView{}
	for _, w := range rows {
		views = append(views, w.view(addresses[w.ID]))
	}
	return views, page.Next(f.Page, rows, total, Wallet.cursor), total, nil
}

func (w Wallet) cursor() Cursor { return Cursor{CreatedAt: w.CreatedAt, ID: w.ID} }

// Wallet gives one wallet. With fresh the enclave states anew what it is.
func (s *Service) Wallet(ctx context.Context, p auth.Principal, id string, fresh bool) (WalletView, error) {
	w, err := s.store.Wallet(ctx, p.WorkspaceID, id)
	if err != nil {
		return WalletView{}, err
	}
	addresses, err := s.store.Addresses(ctx, w.WorkspaceID, w.ID)
	if err != nil {
		return WalletView{}, err
	}
	view := w.view(addresses)
	if fresh {
		view.Proof, err = s.enclave.State(ctx, wire.StateRequest{OrganizationID: w.SubOrganizationID, WalletID: w.EnclaveID})
	}
	return view, err
}
