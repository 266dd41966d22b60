package transaction

import (
	"slices"
)

// State is the state of a transaction, as the API shows it.
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

// Transition is one legal change of state, and its cause.
type Transition struct {
	From, To State
	By       string
}

// Transitions are all changes of state of a transaction; docs/states.md is generated from them.
var Transitions = []Transition{
	{"", Awaiting, "POST /v1/transactions/prepare or sign"},
	{Awaiting, Broadcast, "confirm: signed, and a node took it"},
	{Awaiting, Pending, "confirm: signed, with broadcast:false or while no node takes it"},
	{Awaiting, Cancelled, "DELETE /v1/transactions/sign/{transactionId}, or declined on the passkey page"},
	{Awaiting, Expired, "15 minutes without a stamp"},
	{Awaiting, AwaitingApproval, "confirm or sign: its cost is above the threshold, or it has no stamp"},
	{Awaiting, Failed, "confirm or sign: a rule denies it"},
	{AwaitingApproval, Broadcast, "the last vote: signed, and a node took it"},
	{AwaitingApproval, Pending, "the last vote: signed, with broadcast:false or while no node takes it"},
	{AwaitingApproval, Failed, "the last vote: a rule now denies it"},
	{AwaitingApproval, Cancelled, "POST /v1/signing/approvals/{id}/reject"},
	{AwaitingApproval, Expired, "30 minutes without enough votes, or its exact bytes are no longer valid"},
	{Pending, Broadcast,
		"POST /v1/transactions/broadcast/{transactionId}; or the broadcast job; or mined after another program sent it"},
	{Pending, Failed, "every node refuses the bytes for good; or another transaction with its nonce was mined"},
	{Broadcast, Confirmed, "mined, and deep enough"},
	{Broadcast, Failed, "mined, and reverted; or another transaction with its nonce was mined"},
	{Confirmed, Broadcast, "a reorg removed its block, or the node reports twice that it failed"},
	{Failed, Broadcast, "a reorg removed its block, or that of the transaction with its nonce; " +
		"or mined after another program sent it; or POST /v1/transactions/broadcast/{transactionId}/retry"},
	{Failed, Confirmed, "mined after all: its signature stays valid"},
}

// From lists the states from which a transaction may change to this one.
func From(to State) []State {
	var from []State
	for _, t := range Transitions {
		if t.To == to && t.From != "" && !slices.Contains(from, t.From) {
			from = append(from, t.From)
		}
	}
	return from
}
