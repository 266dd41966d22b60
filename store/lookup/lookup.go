// Package lookup finds what has an id, whatever kind of thing it is and whosever: an operator with a shell has the id
// of a complaint and nothing else. It reads alone, and returns no secret: no token, no signed bytes, no number of a
// bank account.
//
// Read lookup.go, then objects.go (what is shown of each kind).
package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/store/internal/sqldb"
)

// Object is a row that was found.
type Object struct {
	Kind        string    `json:"kind"`
	WorkspaceID string    `json:"workspaceId"`
	ID          string    `json:"id"`
	Status      string    `json:"status,omitempty"`
	Created     time.Time `json:"createdAt,omitzero"`
	Updated     time.Time `json:"updatedAt,omitzero"`
	Fields      []Field   `json:"fields,omitempty"`
	Links       []Link    `json:"links,omitempty"`
}

// Field is something that is known of it.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Link is something that it belongs to, or that belongs to it.
type Link struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// with adds a field that is not empty.
func (o *Object) with(name, value string) {
	if value != "" && value != "0" {
		o.Fields = append(o.Fields, Field{name, value})
	}
}

// link adds a link that is not empty.
func (o *Object) link(kind, id string) {
	if id != "" {
		o.Links = append(o.Links, Link{kind, id})
	}
}

// Job is work that waits, or was given up.
type Job struct {
	Kind      string `json:"kind"`
	State     string `json:"state" doc:"as River calls it; discarded: given up until the sweeper makes another one"`
	Attempt   int64  `json:"attempt"`
	Next      string `json:"next"`
	LastError string `json:"lastError,omitempty"`
}

// Store is the database as who looks something up sees it.
type Store struct{ db *sqldb.DB }

// New makes it.
func New(d *sqldb.DB) Store { return Store{d} }

// Places are where ids are looked for, in the words of the person who looks.
const Places = "orders (by id, reference, the partner's transfer or transaction on chain), transactions, activities, " +
	"approvals, agents, payments by x402, members, wallets, sub-organizations, recipients, bank accounts, workspaces, " +
	"events of the last 30 days, and requests in the record"

// Find finds all that has an id, a reference or, where it is one, the hash of a transaction.
func (s Store) Find(ctx context.Context, id string) ([]Object, error) {
	hash, is := Hash(id)
	if is {
		return gather(
			many(s.db.Read.FindTransactionsOfHash(ctx, hash))(s.transaction(ctx)),
			many(s.db.Read.FindTransfersOfHash(ctx, hash))(transfer),
			many(s.db.Read.FindOrdersOfReference(ctx, strings.ToLower(hash)))(orderOfReference),
		)
	}
	found, err := s.byID(ctx, id)
	if err != nil || len(found) > 0 {
		return found, err
	}
	found, err = gather(many(s.db.Read.FindEvents(ctx, id))(event)) // what takes longer, last
	if err != nil || len(found) > 0 {
		return found, err
	}
	return requests(s.db.Read.FindRequest(ctx, id))
}

func (s Store) byID(ctx context.Context, id string) ([]Object, error) {
	q := s.db.Read
	return gather(
		many(q.FindOrders(ctx, id))(order),
		many(q.FindOrdersOfReference(ctx, strings.ToLower(id)))(orderOfReference),
		many(q.FindTransactions(ctx, id))(s.transaction(ctx)),
		many(q.FindPayments(ctx, id))(payment),
		many(q.FindActivities(ctx, id))(s.activity(ctx)),
		many(q.FindApprovals(ctx, id))(approval),
		many(q.FindAgents(ctx, id))(agent),
		many(q.FindMembers(ctx, id))(member),
		many(q.FindWallets(ctx, id))(wallet),
		many(q.FindSubOrganizations(ctx, id))(subOrganization),
		many(q.FindRecipients(ctx, id))(recipient),
		many(q.FindBankAccounts(ctx, id))(bankAccount),
		many(q.FindWorkspace(ctx, id))(workspace),
	)
}

// found are objects, or why they could not be read.
type found struct {
	objects []Object
	err     error
}

// many turns the rows of one query into objects.
func many[Row any](rows []Row, err error) func(func(Row) (Object, error)) found {
	return func(turn func(Row) (Object, error)) found {
		all, err := sqldb.Many(rows, err, turn)
		return found{all, err}
	}
}

func gather(all ...found) (objects []Object, err error) {
	for _, f := range all {
		objects, err = append(objects, f.objects...), errors.Join(err, f.err)
	}
	return objects, err
}

// Hash tells whether an id is the hash of a transaction, and is it as rows have it: of EVM in lower case with 0x, of
// Solana as it is.
func Hash(id string) (string, bool) {
	const digits, base58 = "0123456789abcdef", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	if hex := strings.TrimPrefix(strings.ToLower(id), "0x"); len(hex) == 64 && strings.Trim(hex, digits) == "" {
		return "0x" + hex, true
	}
	return id, len(id) >= 80 && len(id) <= 90 && strings.Trim(id, base58) == ""
}

// Jobs lists the jobs about an id that are not done.
func (s Store) Jobs(ctx context.Context, id string) (jobs []Job, err error) {
	rows, err := s.db.Reader.QueryContext(ctx, `SELECT kind, state, attempt, CAST(scheduled_at AS TEXT), `+s.db.JobErrors+`
		FROM river_job WHERE state NOT IN ('completed', 'cancelled') AND CAST(args AS TEXT) LIKE $1
		ORDER BY id LIMIT 20`, "%\""+strings.NewReplacer("%", "", "_", "").Replace(id)+"\"%")
	if err != nil {
		return nil, sqldb.Reading("looking for jobs", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var j Job
		var failed string
		if err := rows.Scan(&j.Kind, &j.State, &j.Attempt, &j.Next, &failed); err != nil {
			return nil, fmt.Errorf("reading a job: %w", err)
		}
		j.LastError = lastError(failed)
		jobs = append(jobs, j)
	}
	return jobs, rows.Err()
}

// lastError is the error of a job's last try, as River keeps them.
func lastError(text string) string {
	var tries []struct{ Error string }
	if json.Unmarshal([]byte(text), &tries) != nil || len(tries) == 0 {
		return ""
	}
	return tries[len(tries)-1].Error
}

// stamps are when a row was made and last changed.
func stamps(o Object, created, updated int64) Object {
	o.Created, o.Updated = sqldb.Instant(created), sqldb.Instant(updated)
	return o
}
