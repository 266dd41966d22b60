package bench

import (
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	perGroup    = 20        // orders of a recipient, transactions of a wallet, calls of an agent, however many in all
	afterModels = 1_000_000 // numbers of audit entries and events of before it are the models'
)

func copyID(n int) string        { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }
func copyReference(n int) string { return fmt.Sprintf("OFR-%012d", n) }
func groupID(n int) string       { return fmt.Sprintf("00000000-0000-7000-9000-%012d", n) }

// The same in SQL; g.n is the number of a copy, $3 the model's id, and $4 how many groups there are.
const (
	number        = "substr(CAST(1000000000000 + g.n AS TEXT), 2)"
	groupNumber   = "substr(CAST(1000000000000 + g.n % $4 AS TEXT), 2)"
	idOfCopy      = "'00000000-0000-7000-8000-' || " + number
	nameOfCopy    = "'OFR-' || " + number
	groupOfCopy   = "'00000000-0000-7000-9000-' || " + groupNumber
	addressOfCopy = "'0x0000000000000000000000000000' || " + groupNumber
	hashOfCopy    = "'0x0000000000000000000000000000000000000000000000000000' || " + number
	placeOfCopy   = "1000000 + g.n"
	eachGroup     = "g.n <= $4"
)

// madeAt is when an order was made, as its copy says.
func (g *grown) madeAt(n int) time.Time { return time.UnixMicro(int64(n) * 1_000_000) }

func (g *grown) copy() int { return 1 + rand.N(g.size) }

// group is one of all but the first, whose orders are all in review.
func (g *grown) group() string { return groupID(1 + rand.N(g.groups()-1)) }

func (g *grown) groups() int { return g.size / perGroup }

// copied is a table, of which model, which rows of it are the model's, for which numbers, and what a copy has of
// its own.
type copied struct {
	model, table, where, numbers string
	own                          map[string]string
}

var copies = []copied{
	{"order", "orders", "id = $3", "", map[string]string{
		"id": idOfCopy, "reference": nameOfCopy, "recipient_id": groupOfCopy, "bank_account_id": groupOfCopy,
		"withdraw_address_id": groupOfCopy,
		"created_at":          "g.n * 1000000", "due_at": "0", "body": "replace(t.body, $3, " + idOfCopy + ")",
		"status": "CASE WHEN g.n % $4 = 0 THEN 'in_review' WHEN g.n / $4 % 10 = 1 THEN 'canceled' ELSE 'completed' END",
	}},
	{"order", "order_events", "order_id = $3", "", map[string]string{"order_id": idOfCopy}},
	{"order", "order_references", "order_id = $3 AND reference LIKE 'ofr-%'", "", map[string]string{
		"order_id": idOfCopy, "reference": "lower(" + nameOfCopy + ")",
	}},
	{"order", "order_directory", "order_id = $3 AND kind = 'reference'", "",
		map[string]string{"order_id": idOfCopy, "lookup": nameOfCopy}},
	{"order", "ledger_transactions", "order_id = $3", "", map[string]string{
		"order_id": idOfCopy, "ref": "replace(t.ref, $3, " + idOfCopy + ")",
	}},
	{"order", "ledger_entries", "ref LIKE $3 || '%'", "",
		map[string]string{"ref": "replace(t.ref, $3, " + idOfCopy + ")", "summed": "1"}},
	{"transaction", "transactions", "id = $3", "", map[string]string{
		"id": idOfCopy, "wallet_id": groupOfCopy, "sub_organization_id": groupOfCopy,
		"from_address": addressOfCopy, "nonce": "g.n", "tx_hash": hashOfCopy,
		"fingerprint": hashOfCopy, "state": "'confirmed'", "held": "0", "look_at": "0",
		"created_at": "t.created_at + g.n", "mined_at": "t.updated_at", "confirmed_at": "t.updated_at",
	}},
	{"wallet", "wallets", "id = $3", eachGroup, map[string]string{
		"id": groupOfCopy, "enclave_id": groupOfCopy, "sub_organization_id": groupOfCopy,
		"created_at": "t.created_at + g.n",
	}},
	{"wallet", "addresses", "wallet_id = $3", eachGroup, map[string]string{
		"id": groupOfCopy, "wallet_id": groupOfCopy, "address": addressOfCopy, "lookup": addressOfCopy,
	}},
	{"wallet", "address_directory", "address_id IN (SELECT id FROM addresses WHERE wallet_id = $3)", eachGroup,
		map[string]string{"address_id": groupOfCopy, "lookup": addressOfCopy}},
	{"event", "events", "id = $3", "", map[string]string{"id": idOfCopy, "object_id": idOfCopy, "seq": placeOfCopy}},
	{"entry", "audit", "id = $3", "", map[string]string{
		"id": idOfCopy, "resource": idOfCopy, "request_id": idOfCopy, "seq": placeOfCopy,
	}},
	{"answer", "idempotency", "key_hash = $3", "", map[string]string{"key_hash": hashOfCopy}},
	{"call", "agent_holds", "id = $3", "", map[string]string{"id": idOfCopy, "agent_id": groupOfCopy}},
	{"call", "agent_spending", "agent_id IN (SELECT agent_id FROM agent_holds WHERE id = $3)", eachGroup,
		map[string]string{"agent_id": groupOfCopy}},
}
