package fakeapi

import (
	"maps"
	"net/http"

	"github.com/google/uuid"
)

// payouts is a bank with one price: 100 USDC give 1787.44 MXN.
type payouts struct{ orders []*payout }

// payout is an order that goes on by one step with each look at it.
type payout struct {
	order  object
	next   []object
	hash   string // of its deposit
	unseen bool   // the deposit is not in a block yet
}

const (
	bankAddress = "0x00000000000000000000000000000000000000BB"
	payoutTime  = "2026-11-21T18:00:00.000Z"
)

var arriving = []object{
	{"status": "funds_received"},
	{"status": "payment_submitted", "references": object{"trackingKey": "RKP20261121184ABB2D"}},
	{"status": "completed", "completedAt": payoutTime},
}

var goingBack = []object{
	{"status": "returned", "refund": object{"status": "pending", "amount": "99.250000", "currency": "usdc"}},
	{"refund": object{"status": "completed", "amount": "99.250000", "currency": "usdc", "txHash": "0xbac2"}},
}

func (s *Server) servePayouts() {
	bank := func(pattern string, handle http.HandlerFunc) {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			handle(w, r)
		})
	}
	bank("POST /v1/payout/recipients", made(object{"status": "active"}))
	bank("POST /v1/payout/recipients/{id}/accounts",
		made(object{"rail": "spei", "lastFour": "9719", "status": "active", "isActive": true}))
	bank("POST /v1/payout/offramp/withdraw-addresses", createWithdrawAddress)
	bank("POST /v1/payout/accounts/quote",
		made(object{"quoteId": "quote", "rate": 18.0095, "fees": 0.75, "netAmount": 1787.44, "sourceAmount": 100}))
	bank("POST /v1/payout/accounts/execute", s.executePayout)
	bank("POST /v1/sandbox/simulate-deposit", s.simulateDeposit)
	bank("POST /v1/sandbox/orders/{id}/return", s.returnOrder)
	bank("GET /v1/orders/{id}", s.getOrder)
	bank("POST /v1/orders/{id}/cancel", s.cancelOrder)
}

// made answers with what has an id and the rest.
func made(rest object) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer := object{"id": uuid.NewString()}
		maps.Copy(answer, rest)
		respond(w, r, http.StatusCreated, answer, nil)
	}
}

func createWithdrawAddress(w http.ResponseWriter, r *http.Request) {
	var in object
	if !read(w, r, &in) {
		return
	}
	made(object{
		"beneficiaryAccountId": in["beneficiaryAccountId"], "address": bankAddress, "chain": "base",
		"currency": "usdc", "status": "active",
	})(w, r)
}

func (s *Server) newOrder() *payout {
	p := &payout{order: object{
		"id": uuid.NewString(), "reference": "OFR-20261121-" + random(2), "status": "awaiting",
		"netAmount": "1787.44", "createdAt": payoutTime,
		"destination": object{"amount": "1787.44", "currency": "mxn", "rail": "spei", "accountLast4": "9719"},
	}}
	s.bank.orders = append(s.bank.orders, p)
	return p
}

func (s *Server) executePayout(w http.ResponseWriter, r *http.Request) {
	o := s.newOrder().order
	respond(w, r, http.StatusCreated, object{
		"orderId": o["id"], "reference": o["reference"], "status": "pending",
		"depositInstructions": object{"address": bankAddress, "chain": "base", "token": "usdc", "amount": "100.000000"},
	}, nil)
}

// simulateDeposit pays for the order that waits, or opens one.
func (s *Server) simulateDeposit(w http.ResponseWriter, r *http.Request) {
	var p *payout
	for _, o := range s.bank.orders {
		if o.order["status"] == "awaiting" {
			p = o
		}
	}
	if p == nil {
		p = s.newOrder()
		p.unseen = true
	}
	p.next, p.hash = arriving, "0x"+random(32)
	respond(w, r, http.StatusOK, object{"txHash": p.hash}, nil)
}

func (s *Server) returnOrder(w http.ResponseWriter, r *http.Request) {
	if p := s.findOrder(w, r); p != nil {
		p.next = append(p.next, goingBack...)
		respond(w, r, http.StatusOK, object{}, nil)
	}
}

func (s *Server) cancelOrder(w http.ResponseWriter, r *http.Request) {
	if p := s.findOrder(w, r); p != nil {
		p.order["status"] = "canceled"
		respond(w, r, http.StatusOK, p.order, nil)
	}
}

func (s *Server) getOrder(w http.ResponseWriter, r *http.Request) {
	p := s.findOrder(w, r)
	if p == nil {
		return
	}
	if len(p.next) > 0 {
		maps.Copy(p.order, p.next[0])
		p.next = p.next[1:]
	}
	respond(w, r, http.StatusOK, p.order, nil)
}

// findOrder finds one by id, reference or deposit, and answers else.
func (s *Server) findOrder(w http.ResponseWriter, r *http.Request) *payout {
	id := r.PathValue("id")
	for _, p := range s.bank.orders {
		if p.unseen && p.hash == id {
			p.unseen = false // by the next look
			break
		}
		if id == p.order["id"] || id == p.order["reference"] || id == p.hash {
			return p
		}
	}
	fail(w, r, http.StatusNotFound, "not_found", "Order not found")
	return nil
}
