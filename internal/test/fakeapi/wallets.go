package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
)

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	respond(w, r, http.StatusOK, object{
		"status": "ok", "service": "railkit", "version": "test", "environment": Environment, "timestamp": now(),
	}, nil)
}

func ethereum(path string) wire.AccountParams {
	return wire.AccountParams{
		Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", Path: path, AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
	}
}

func (s *Server) prepareWallet(w http.ResponseWriter, r *http.Request) {
	var in struct{ WalletName, Chain, SubOrganizationID string }
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	params := wire.CreateWalletParams{WalletName: in.WalletName, MnemonicLength: "12", Accounts: []wire.AccountParams{}}
	shown := wire.Preview{WalletName: in.WalletName}
	if in.Chain != "" {
		params.Accounts = append(params.Accounts, ethereum("m/44'/60'/0'/0/0"))
		shown.Accounts = []wire.Account{planned(params.Accounts[0])}
	}
	id, fields := s.prepare(wire.CreateWallet, in.SubOrganizationID, params, shown)
	fields["walletRequestId"] = id
	respond(w, r, http.StatusOK, fields, nil)
}

func planned(p wire.AccountParams) wire.Account {
	return wire.Account{Path: p.Path, Curve: p.Curve, AddressFormat: p.AddressFormat}
}

type confirmation struct {
	WalletRequestID, WalletAccountRequestID, TransactionID string
	SignedActivity                                         struct {
		Body  string
		Stamp wire.Stamp
	}
	SignedTransaction string
	Broadcast         *bool
}

// stamped checks what a confirm hands in against what was prepared.
func (s *Server) stamped(w http.ResponseWriter, r *http.Request, id string, c confirmation) bool {
	if s.bodies[id] == c.SignedActivity.Body && s.verify(c.SignedActivity.Body, c.SignedActivity.Stamp) {
		return true
	}
	fail(w, r, http.StatusUnprocessableEntity, "passkey_signature_invalid", "Passkey signature invalid")
	return false
}

func (s *Server) confirmWallet(w http.ResponseWriter, r *http.Request) {
	var in confirmation
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if !s.stamped(w, r, in.WalletRequestID, in) {
		return
	}
	made := s.wallets[in.WalletRequestID] // of an earlier confirm
	proof := s.execute(in.SignedActivity.Body, func(b wire.Body) *wire.Result {
		var p wire.CreateWalletParams
		_ = json.Unmarshal(b.Parameters, &p)
		made = &wallet{
			Wallet:          wire.Wallet{ID: uuid.NewString(), Name: p.WalletName, CreatedAt: now()},
			subOrganization: b.OrganizationID,
		}
		owners := s.owners[b.OrganizationID]
		result := &wire.Result{Wallet: &made.Wallet, Owners: &owners}
		for _, a := range p.Accounts {
			result.Accounts = append(result.Accounts, newAccount(made.ID, a))
			made.accounts = append(made.accounts, account{
				Account: result.Accounts[0], id: uuid.NewString(), chain: "ethereum", created: now(),
			})
		}
		return result
	})
	made.proof = proof
	for i := range made.accounts {
		made.accounts[i].proof = proof
	}
	s.wallets[made.ID], s.wallets[in.WalletRequestID] = made, made
	fields := made.json()
	fields["name"], fields["createdAt"] = made.Name, made.CreatedAt
	respond(w, r, http.StatusCreated, fields, nil)
}

func (w *wallet) addresses() []object {
	list := []object{}
	for _, a := range w.accounts {
		list = append(list, object{
			"address": a.Address, "path": a.Path, "addressFormat": a.AddressFormat, "chain": a.chain,
			"walletAccountId": a.id, "publicKey": a.PublicKey,
		})
	}
	return list
}

func (w *wallet) json() object {
	return object{
		"walletId": w.ID, "walletName": w.Name, "addresses": w.addresses(), "subOrganizationId": w.subOrganization,
		"id": "local-" + w.ID, "created_at": w.CreatedAt, "type": "master", "lastActivity": nil, "proof": w.proof,
	}
}

func (s *Server) listWallets(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	items := []object{}
	for id, x := range s.wallets {
		if id == x.ID {
			items = append(items, x.json())
		}
	}
	respond(w, r, http.StatusOK, items, meta(len(items)))
}

func (s *Server) wallet(w http.ResponseWriter, r *http.Request, id string) *wallet {
	x := s.wallets[id]
	if x == nil {
		fail(w, r, http.StatusNotFound, "not_found", "Wallet not found")
	}
	return x
}

func (s *Server) getWallet(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	x := s.wallet(w, r, r.PathValue("id"))
	if x == nil {
		return
	}
	fields := x.json()
	if r.URL.Query().Get("proof") == "fresh" {
		owners := s.owners[x.subOrganization]
		state := wire.Result{Wallet: &x.Wallet, Owners: &owners}
		for _, a := range x.accounts {
			state.Accounts = append(state.Accounts, a.Account)
		}
		fields["proof"] = s.Prove(wire.Statement{
			Kind: wire.KindState, OrganizationID: x.subOrganization, State: &state,
		})
	}
	respond(w, r, http.StatusOK, fields, nil)
}

func (s *Server) prepareAccount(w http.ResponseWriter, r *http.Request) {
	var in struct{ WalletID, Chain, Name, Path string }
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	x := s.wallet(w, r, in.WalletID)
	if x == nil {
		return
	}
	if in.Path == "" {
		in.Path = fmt.Sprintf("m/44'/60'/%d'/0/0", len(x.accounts))
	}
	params := wire.CreateWalletAccountsParams{WalletID: x.ID, Accounts: []wire.AccountParams{ethereum(in.Path)}}
	shown := wire.Preview{WalletID: x.ID, WalletName: x.Name, Accounts: []wire.Account{planned(params.Accounts[0])}}
	id, fields := s.prepare(wire.CreateWalletAccounts, x.subOrganization, params, shown)
	fields["walletAccountRequestId"], fields["prepareSkipsActivity"] = id, false
	s.names[id] = in.Name
	respond(w, r, http.StatusOK, fields, nil)
}

func (s *Server) confirmAccount(w http.ResponseWriter, r *http.Request) {
	var in confirmation
	if !read(w, r, &in) {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if !s.stamped(w, r, in.WalletAccountRequestID, in) {
		return
	}
	var made account
	proof := s.execute(in.SignedActivity.Body, func(b wire.Body) *wire.Result {
		var p wire.CreateWalletAccountsParams
		_ = json.Unmarshal(b.Parameters, &p)
		made = account{
			Account: newAccount(p.WalletID, p.Accounts[0]),
			id:      uuid.NewString(),
			chain:   "base",
			name:    s.names[in.WalletAccountRequestID],
			created: now(),
		}
		owners := s.owners[b.OrganizationID]
		return &wire.Result{Accounts: []wire.Account{made.Account}, Owners: &owners}
	})
	made.proof = proof
	x := s.wallets[made.WalletID]
	x.accounts = append(x.accounts, made)
	respond(w, r, http.StatusCreated, made.json(), nil)
}

func (a account) json() object {
	return object{
		"addressId": a.id, "walletAccountId": a.id, "walletId": a.WalletID, "address": a.Address, "path": a.Path,
		"addressFormat": a.AddressFormat, "chain": a.chain, "publicKey": a.PublicKey, "name": a.name,
		"createdAt": a.created, "proof": a.proof,
	}
}

func (s *Server) listAddresses(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	x := s.wallet(w, r, r.PathValue("id"))
	if x == nil {
		return
	}
	list := []object{}
	for _, a := range x.accounts {
		list = append(list, a.json())
	}
	respond(w, r, http.StatusOK, list, nil)
}

func (s *Server) getAddress(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	x := s.wallet(w, r, r.PathValue("id"))
	if x == nil {
		return
	}
	for _, a := range x.accounts {
		if a.id != r.PathValue("address") && !strings.EqualFold(a.Address, r.PathValue("address")) {
			continue
		}
		fields := a.json()
		if r.URL.Query().Get("proof") == "fresh" {
			owners := s.owners[x.subOrganization]
			fields["proof"] = s.Prove(wire.Statement{
				Kind: wire.KindState, OrganizationID: x.subOrganization,
				State: &wire.Result{Accounts: []wire.Account{a.Account}, Owners: &owners},
			})
		}
		respond(w, r, http.StatusOK, fields, nil)
		return
	}
	fail(w, r, http.StatusNotFound, "not_found", "Address not found")
}

func (s *Server) journal(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	st := wire.Statement{Kind: wire.KindJournal}
	for _, seq := range strings.Split(r.URL.Query().Get("seqs"), ",") {
		n, err := strconv.Atoi(seq)
		if err != nil {
			fail(w, r, http.StatusBadRequest, "validation_failed", "Validation failed: seqs must be whole numbers")
			return
		}
		if n >= len(s.heads) {
			fail(w, r, http.StatusConflict, "journal_shorter", "The signer's journal does not reach entry "+seq)
			return
		}
		st.Heads = append(st.Heads, wire.JournalHead{Seq: seq, Head: s.heads[n]})
	}
	respond(w, r, http.StatusOK, object{"proof": s.Prove(st)}, nil)
}

// Restore has the journal go on from an earlier entry, by so many new ones.
func (s *Server) Restore(to uint64, entries int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.heads, s.seq = s.heads[:to+1], to
	copy(s.head[:], s.heads[to])
	for range entries {
		s.record("since the restore")
	}
}

// Seq is the number of the journal's last entry.
func (s *Server) Seq() uint64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.seq
}
