package transaction

import (
	"slices"
)

// State is where a transaction stands, in the words of the API.
type State string

// The states of a transaction.
const (
	Awaiting         State = "awaiting_signature"
	Pending          State = "pending" // signed; no node has taken it, or broadcast was not asked for
	Broadcast        State = "broadcast"
	Confirmed        State = "confirmed"
	Failed           State = "failed"
	Cancelled        State = "cancelled"
	Expired          State = "expired"
	AwaitingApproval State = "awaiting_approval" // stamped; the enclave holds it for votes
)

// Transition is one legal step, and what takes it.
type Transition struct {
	From, To State
	By       string
}

// Transitions is the whole life of a transaction; docs/states.md is drawn from it.
var Transitions = []Transition{
	{"", Awaiting, "POST /v1/transactions/prepare or sign"},
	{Awaiting, Broadcast, "confirm: signed, and a node took it"},
	{Awaiting, Pending, "confirm: signed, with broadcast:false or while no node takes it"},
	{Awaiting, Cancelled, "DELETE /v1/transactions/sign/{transactionId}"},
	{Awaiting, Expired, "15 minutes without a stamp"},
	{Awaiting, AwaitingApproval, "confirm or sign: it costs more than the threshold, or nobody stamped it"},
	{Awaiting, Failed, "confirm or sign: a rule refuses it, for good"},
	{AwaitingApproval, Broadcast, "the last vote: signed, and a node took it"},
	{AwaitingApproval, Pending, "the last vote: signed, with broadcast:false or while no node takes it"},
	{AwaitingApproval, Failed, "the last vote: a rule refuses it by then"},
	{AwaitingApproval, Cancelled, "POST /v1/signing/approvals/{id}/reject"},
	{AwaitingApproval, Expired, "30 minutes without enough votes, or its exact bytes are no longer valid"},
	{Pending, Broadcast,
		"POST /v1/transactions/broadcast/{transactionId}, or the broadcast job; or mined, sent by somebody else"},
	{Pending, Failed, "every node refuses the bytes for good; or another transaction for its nonce was mined"},
	{Broadcast, Confirmed, "mined, and deep enough"},
	{Broadcast, Failed, "mined, and reverted; or another transaction for its nonce was mined"},
	{Confirmed, Broadcast, "a reorg took its block away, or the node says twice that it failed"},
	{Failed, Broadcast,
		"a reorg took its block away, or that of the one it replaces; or mined, sent by somebody else; or POST /v1/transactions/broadcast/{transactionId}/retry"},
	{Failed, Confirmed, "mined after all: what is signed stays good"},
}

// From lists the states out of which a transaction may go to this one.
func From(to State) []State {
	var from []State
	for _, t := range Transitions {
		if t.To == to && t.From != "" && !slices.Contains(from, t.From) {
			from = append(from, t.From)
		}
	}
	return from
}
