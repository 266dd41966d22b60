// Package signing is the signing kit: an end user's passkeys, wallets, transactions, messages and rules. It prepares,
// passes on and remembers; the enclave decides. Each noun has a package of its own below this one, with its rows, its
// errors, the few things that it needs of a database, and a description of its life. Here they are only put together.
//
// From the bottom up, each knowing only those before it:
//
//	platform/record  how rows are written and swept: not of this kit alone
//	signer       the port to the enclave
//	nodes        the port to the networks' nodes
//	mail         the port through which mails leave
//	denial       what rules refused
//	approval     requests that wait for votes
//	link         links of the passkey page
//	activity     a body on its way through the enclave, and what the server does about each kind
//	passkey      sub-organizations and their passkeys
//	payee        books of payees: names bound to addresses
//	wallet       wallets and addresses
//	message      signatures over what is no transaction
//	plan         what a transaction is to be: nonce, gas, fee
//	transaction  a transaction until it is signed
//	outstanding  what was signed without a passkey and may still land
//	broadcast    a signed transaction on its way into the chain
//	rule         policies, approval configuration, prices
//	recovery     a new passkey for whoever has lost all
//	rollback     a signer that was put back to an older copy
//	change       calls in three forms: prepared, stamped, bare; it knows the kinds that nouns register
//	vote         what users decide about approvals
//	ceremony     what the passkey page opens and finishes
//	faucet       test money
//	block        a recent block, for wallets that sign by themselves
//	balance      what an address has of a token, what went to and from it, and all that a wallet has
//
// Whoever wants to know how a payment comes about reads wallet, plan, transaction and broadcast, in this order.
package signing

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/balance"
	"github.com/railkit/railkit/kit/signing/block"
	"github.com/railkit/railkit/kit/signing/broadcast"
	"github.com/railkit/railkit/kit/signing/ceremony"
	"github.com/railkit/railkit/kit/signing/change"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/faucet"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/message"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/outstanding"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// Kit is the nouns, put together.
type Kit struct {
	Passkeys     *passkey.Service
	Wallets      *wallet.Service
	Transactions *transaction.Service
	Broadcasts   *broadcast.Service
	Messages     *message.Service
	Rules        *rule.Service
	Payees       *payee.Service
	Denials      *denial.Service
	Votes        *vote.Service
	Recoveries   *recovery.Service
	Links        *link.Links
	Ceremonies   *ceremony.Service
	Journal      *signer.Journal
	Faucet       *faucet.Service
	Balances     *balance.Service
	Blocks       *block.Service

	PasskeyNotices *passkey.Notices

	// What kits that stand on this one have executed, they have executed by these.
	Enclave     signer.Enclave
	Activities  *activity.Service
	Changes     *change.Service
	Nodes       *nodes.Set
	Planner     *plan.Planner
	Outstanding *outstanding.Service

	sweeping sync.Mutex
}

// Stores are what the nouns need of a database. The database has one for each.
type Stores struct {
	Denials      denial.Store
	Links        link.Store
	Activities   activity.Store
	Passkeys     passkey.Store
	Notices      passkey.NoticeStore // mails about passkeys
	Wallets      wallet.Store
	Transactions transaction.Store
	Broadcasts   broadcast.Store
	Outstanding  outstanding.Store
	Rules        rule.Store
	Payees       payee.Store
	Recoveries   recovery.Store
	Changes      change.Store
	Votes        vote.Store
	Ceremonies   ceremony.Store
	Faucet       record.Writer[faucet.Tx]
}

// Tx is all that the kit writes in a transaction of the database. A noun gets its own part of it.
type Tx interface {
	ceremony.Tx
	link.OriginTx
	passkey.NoticeTx
	passkey.Tx
	payee.Tx
	recovery.Tx
	rule.Tx
	vote.Tx
	wallet.Tx
}

// Config wires a Kit.
type Config struct {
	Stores         Stores
	Enclave        signer.Enclave
	Nodes          map[string]nodes.Node // by slug
	Issuers        plan.Issuers          // of tokens
	Environment    chain.Environment
	Networks       []chain.Network
	RPID           string
	CeremonyOrigin string      // of the passkey page; empty: there is none, and no answer links to it
	Dashboard      string      // origin of the operator's dashboard; empty: there is none
	Agents         vote.Agents // tells whether agents may pay
	Post           *mail.Post  // nil: mail waits until there is one
	Clock          clock.Clock
	Log            *slog.Logger
}

// New puts the nouns together, each on those below it. Then each says what its bodies are.
func New(c Config) *Kit {
	k := &Kit{Journal: &signer.Journal{Enclave: c.Enclave}}
	k.PasskeyNotices = passkey.NewNotices(c.Stores.Notices, c.Post, c.Clock)
	k.Enclave = k.PasskeyNotices.Listening(c.Enclave)
	k.Denials = denial.New(c.Stores.Denials, c.Clock)
	k.Links = link.New(link.Deps{
		Store: c.Stores.Links, CeremonyOrigin: c.CeremonyOrigin, Dashboard: c.Dashboard, Environment: c.Environment,
		Post: c.Post, Clock: c.Clock,
	})
	k.Nodes = nodes.NewSet(c.Networks, c.Nodes)
	directory := passkey.NewDirectory(c.Stores.Passkeys)
	k.Activities = activity.New(activity.Config{
		Store: c.Stores.Activities, Enclave: k.Enclave, Environment: c.Environment, Passkeys: directory,
		Denials: k.Denials, Links: k.Links, Clock: c.Clock,
	})
	k.Changes = change.New(c.Stores.Changes, k.Enclave, k.Activities, k.Links, c.Clock)
	k.Passkeys = passkey.New(passkey.Config{
		Store: c.Stores.Passkeys, Enclave: k.Enclave, Directory: directory, Activities: k.Activities,
		Changes: k.Changes, Links: k.Links, Environment: c.Environment, RPID: c.RPID, Clock: c.Clock,
	})
	k.Payees = payee.New(payee.Config{
		Store: c.Stores.Payees, Enclave: k.Enclave, Activities: k.Activities, Changes: k.Changes, Passkeys: k.Passkeys,
		Nodes: k.Nodes, Post: c.Post, Clock: c.Clock, Log: c.Log,
	})
	k.Wallets = wallet.New(wallet.Config{
		Store: c.Stores.Wallets, Enclave: k.Enclave, Activities: k.Activities, Passkeys: k.Passkeys, Payees: k.Payees,
		Nodes: k.Nodes, Clock: c.Clock,
	})
	k.Messages = message.New(k.Wallets, k.Changes)
	k.Faucet = faucet.New(c.Stores.Faucet, k.Nodes)
	k.Blocks = block.New(k.Nodes, c.Clock)
	k.Balances = balance.New(balance.Config{Nodes: k.Nodes, Wallets: k.Wallets, Clock: c.Clock, Log: c.Log})
	k.Planner = plan.New(k.Enclave, k.Wallets, k.Nodes, c.Issuers, c.Clock)
	rows := transaction.NewRows(c.Stores.Transactions, c.Clock)
	k.Transactions = transaction.New(transaction.Config{
		Store: c.Stores.Transactions, Enclave: k.Enclave, Activities: k.Activities, Denials: k.Denials,
		Planner: k.Planner, Nodes: k.Nodes, Rows: rows, Clock: c.Clock, Log: c.Log,
	})
	k.Outstanding = outstanding.New(c.Stores.Outstanding, k.Enclave, k.Nodes, c.Log)
	k.Broadcasts = broadcast.New(broadcast.Config{
		Store: c.Stores.Broadcasts, Nodes: k.Nodes, Rows: rows, Clock: c.Clock, Log: c.Log,
	})
	k.Rules = rule.New(rule.Config{
		Store: c.Stores.Rules, Enclave: k.Enclave, Activities: k.Activities, Changes: k.Changes, Passkeys: k.Passkeys,
		Outstanding: k.Outstanding, Log: c.Log,
	})
	k.Recoveries = recovery.New(recovery.Config{
		Store: c.Stores.Recoveries, Enclave: k.Enclave, Activities: k.Activities, Changes: k.Changes,
		Passkeys: k.Passkeys,
		Links:    k.Links, Post: c.Post, Environment: c.Environment, RPID: c.RPID, CeremonyOrigin: c.CeremonyOrigin,
		Clock: c.Clock, Log: c.Log,
	})
	k.Votes = vote.New(vote.Config{
		Store: c.Stores.Votes, Enclave: k.Enclave, Activities: k.Activities, Changes: k.Changes,
		Transactions: k.Transactions, Denials: k.Denials, Agents: c.Agents, Clock: c.Clock, Log: c.Log,
	})
	for _, noun := range []interface{ Kinds() []activity.Kind }{
		k.Passkeys, k.Wallets, k.Messages, k.Rules, k.Payees, k.Recoveries, k.Votes,
	} {
		k.Changes.Register(noun.Kinds()...)
	}
	k.Ceremonies = ceremony.New(ceremony.Config{
		Store: c.Stores.Ceremonies, Enclave: k.Enclave, Links: k.Links, Activities: k.Activities, Passkeys: k.Passkeys,
		Wallets: k.Wallets, Transactions: k.Transactions,
		Recoveries: k.Recoveries, Changes: k.Changes, Votes: k.Votes, Environment: c.Environment, RPID: c.RPID,
		Clock: c.Clock,
	})
	return k
}

// Sweep derives missing work from the rows themselves: what the enclave signed and a crash kept out of the database,
// what has expired, and jobs that were lost. Where more rows wait than one sweep takes, the next goes on behind them.
func (k *Kit) Sweep(ctx context.Context) error {
	k.sweeping.Lock()
	defer k.sweeping.Unlock()
	return errors.Join(
		k.Transactions.Sweep(ctx), k.Changes.Sweep(ctx), k.Votes.Sweep(ctx), k.Transactions.SweepLostJobs(ctx),
		k.Broadcasts.SweepNonces(ctx), k.Recoveries.Sweep(ctx), k.Payees.Sweep(ctx),
		k.PasskeyNotices.Sweep(ctx), k.Links.Sweep(ctx),
	)
}
