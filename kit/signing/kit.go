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
//	agentcall    what an agent asks for on its own word, on its way through the enclave
//	payment      what agents pay: transactions under their own signature
//	x402pay      what agents buy of servers that take the money themselves
//	outstanding  what was signed without a passkey and may still land
//	agent        programs with a wallet, limits and a secret
//	broadcast    a signed transaction on its way into the chain
//	rule         policies, approval configuration, prices
//	recovery     a new passkey for whoever has lost all
//	rollback     a signer that was put back to an older copy
//	change       calls in three forms: prepared, stamped, bare; it knows the kinds that nouns register
//	vote         what users decide about approvals
//	ceremony     what the passkey page opens and finishes
//	faucet       test money
//	balance      what an address has of a token, and what went to and from it
//	allowance    what a contract may take of a token, exactly
//	swap         trades at exchanges
//	lending      supplies to lending pools
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
	"github.com/railkit/railkit/kit/signing/agent"
	"github.com/railkit/railkit/kit/signing/agentcall"
	"github.com/railkit/railkit/kit/signing/balance"
	"github.com/railkit/railkit/kit/signing/broadcast"
	"github.com/railkit/railkit/kit/signing/ceremony"
	"github.com/railkit/railkit/kit/signing/change"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/faucet"
	"github.com/railkit/railkit/kit/signing/lending"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/mail"
	"github.com/railkit/railkit/kit/signing/message"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/outstanding"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/kit/signing/payment"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/swap"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/kit/signing/x402pay"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
)

// Kit is the nouns, put together.
type Kit struct {
	Passkeys     *passkey.Service
	Wallets      *wallet.Service
	Transactions *transaction.Service
	Swaps        *swap.Service
	Broadcasts   *broadcast.Service
	Payments     *payment.Service
	X402Payments *x402pay.Service
	Messages     *message.Service
	Rules        *rule.Service
	Payees       *payee.Service
	Agents       *agent.Service
	Denials      *denial.Service
	Votes        *vote.Service
	Recoveries   *recovery.Service
	Links        *link.Links
	Ceremonies   *ceremony.Service
	Journal      *signer.Journal
	Faucet       *faucet.Service
	Balances     *balance.Service
	Lending      *lending.Service

	PasskeyNotices *passkey.Notices

	changes  *change.Service
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
	Payments     payment.Store
	X402Payments x402pay.Store
	Outstanding  outstanding.Store
	Rules        rule.Store
	Payees       payee.Store
	Agents       agent.Store
	Recoveries   recovery.Store
	Changes      change.Store
	Votes        vote.Store
	Ceremonies   ceremony.Store
	Faucet       record.Writer[faucet.Tx]
	Drafts       transaction.DraftStore // of swaps and lending
}

// Tx is all that the kit writes in a transaction of the database. A noun gets its own part of it.
type Tx interface {
	agent.Tx
	ceremony.Tx
	passkey.NoticeTx
	passkey.Tx
	payee.Tx
	payment.Tx
	recovery.Tx
	rule.Tx
	vote.Tx
	wallet.Tx
	x402pay.Tx
}

// Config wires a Kit.
type Config struct {
	Stores         Stores
	Enclave        signer.Enclave
	Nodes          map[string]nodes.Node // by slug
	Environment    chain.Environment
	Networks       []chain.Network
	RPID           string
	CeremonyOrigin string           // of the passkey page; empty: there is none, and no answer links to it
	Budget         agentcall.Budget // of agents
	Exchanges      swap.Exchanges   // where tokens are traded
	Client         *fetch.Client    // asks sellers for what agents buy
	Vault          *vault.Vault     // seals what they are asked
	Audit          audit.Lister
	Mailer         mail.Mailer // nil: mail waits until there is one
	Clock          clock.Clock
	Log            *slog.Logger
}

// New puts the nouns together, each on those below it. Then each says what its bodies are.
func New(c Config) *Kit {
	k := &Kit{Journal: &signer.Journal{Enclave: c.Enclave}}
	k.PasskeyNotices = passkey.NewNotices(c.Stores.Notices, c.Mailer, c.Clock, c.Log)
	c.Enclave = k.PasskeyNotices.Listening(c.Enclave)
	k.Denials = denial.New(c.Stores.Denials, c.Clock)
	k.Links = link.New(c.Stores.Links, c.CeremonyOrigin)
	networks := nodes.NewSet(c.Networks, c.Nodes)
	directory := passkey.NewDirectory(c.Stores.Passkeys)
	activities := activity.New(activity.Config{
		Store: c.Stores.Activities, Enclave: c.Enclave, Environment: c.Environment, Passkeys: directory,
		Denials: k.Denials, Links: k.Links, Clock: c.Clock,
	})
	k.changes = change.New(c.Stores.Changes, c.Enclave, activities, c.Clock)
	k.Passkeys = passkey.New(passkey.Config{
		Store: c.Stores.Passkeys, Enclave: c.Enclave, Directory: directory, Activities: activities, Changes: k.changes,
		Links: k.Links, Environment: c.Environment, RPID: c.RPID, Clock: c.Clock,
	})
	k.Payees = payee.New(payee.Config{
		Store: c.Stores.Payees, Enclave: c.Enclave, Activities: activities, Changes: k.changes, Passkeys: k.Passkeys,
		Nodes: networks, Mailer: c.Mailer, Clock: c.Clock, Log: c.Log,
	})
	k.Wallets = wallet.New(wallet.Config{
		Store: c.Stores.Wallets, Enclave: c.Enclave, Activities: activities, Passkeys: k.Passkeys, Payees: k.Payees,
		Nodes: networks, Clock: c.Clock,
	})
	k.Messages = message.New(k.Wallets, k.changes)
	k.Faucet = faucet.New(c.Stores.Faucet, networks)
	k.Balances = balance.New(networks)
	planner := plan.New(c.Enclave, k.Wallets, networks)
	rows := transaction.NewRows(c.Stores.Transactions, c.Clock)
	k.Transactions = transaction.New(transaction.Config{
		Store: c.Stores.Transactions, Enclave: c.Enclave, Activities: activities, Denials: k.Denials,
		Planner: planner, Nodes: networks, Rows: rows, Clock: c.Clock, Log: c.Log,
	})
	k.trade(c, networks, planner)
	k.Payments = payment.New(payment.Config{
		Store: c.Stores.Payments, Enclave: c.Enclave, Activities: activities, Transactions: k.Transactions,
		Planner: planner, Nodes: networks, Budget: c.Budget, Clock: c.Clock, Log: c.Log,
	})
	k.X402Payments = x402pay.New(x402pay.Config{
		Store: c.Stores.X402Payments, Enclave: c.Enclave, Activities: activities, Nodes: networks, Budget: c.Budget,
		Client: c.Client, Vault: c.Vault, Clock: c.Clock, Log: c.Log,
	})
	left := outstanding.New(c.Stores.Outstanding, c.Enclave, networks, c.Log)
	k.Agents = agent.New(agent.Config{
		Store: c.Stores.Agents, Enclave: c.Enclave, Activities: activities, Changes: k.changes, Passkeys: k.Passkeys,
		Wallets: k.Wallets, Networks: c.Networks, Transactions: k.Transactions, Nodes: networks,
		Outstanding: left, Audit: c.Audit, Budget: c.Budget, Clock: c.Clock, Log: c.Log,
	})
	k.Broadcasts = broadcast.New(broadcast.Config{
		Store: c.Stores.Broadcasts, Nodes: networks, Rows: rows, Clock: c.Clock, Log: c.Log,
	})
	k.Rules = rule.New(rule.Config{
		Store: c.Stores.Rules, Enclave: c.Enclave, Activities: activities, Changes: k.changes, Passkeys: k.Passkeys,
		Outstanding: left, Log: c.Log,
	})
	k.Recoveries = recovery.New(recovery.Config{
		Store: c.Stores.Recoveries, Enclave: c.Enclave, Activities: activities, Changes: k.changes,
		Passkeys: k.Passkeys,
		Links:    k.Links, Mailer: c.Mailer, Environment: c.Environment, RPID: c.RPID, CeremonyOrigin: c.CeremonyOrigin,
		Clock: c.Clock, Log: c.Log,
	})
	k.Votes = vote.New(vote.Config{
		Store: c.Stores.Votes, Enclave: c.Enclave, Activities: activities, Changes: k.changes,
		Transactions: k.Transactions, Denials: k.Denials, Agents: c.Budget, Clock: c.Clock, Log: c.Log,
	})
	for _, noun := range []interface{ Kinds() []activity.Kind }{
		k.Passkeys, k.Wallets, k.Messages, k.Rules, k.Payees, k.Recoveries, k.Votes, k.Agents, k.X402Payments,
	} {
		k.changes.Register(noun.Kinds()...)
	}
	k.Ceremonies = ceremony.New(ceremony.Config{
		Store: c.Stores.Ceremonies, Enclave: c.Enclave, Passkeys: k.Passkeys, Wallets: k.Wallets,
		Transactions: k.Transactions,
		Recoveries:   k.Recoveries, Changes: k.changes, Votes: k.Votes, Environment: c.Environment, RPID: c.RPID,
		Clock: c.Clock,
	})
	return k
}

// trade wires what is done at contracts of strangers: exchanges and lending pools.
func (k *Kit) trade(c Config, networks *nodes.Set, planner *plan.Planner) {
	k.Swaps = swap.New(swap.Config{
		Store: c.Stores.Drafts, Exchanges: c.Exchanges, Nodes: networks, Wallets: k.Wallets,
		Transactions: k.Transactions, Clock: c.Clock,
	})
	k.Lending = lending.New(lending.Config{
		Store: c.Stores.Drafts, Nodes: networks, Wallets: k.Wallets, Planner: planner, Transactions: k.Transactions,
		Environment: c.Environment, Clock: c.Clock,
	})
}

// Sweep derives missing work from the rows themselves: what the enclave signed and a crash kept out of the database,
// what has expired, and jobs that were lost. Where more rows wait than one sweep takes, the next goes on behind them.
func (k *Kit) Sweep(ctx context.Context) error {
	k.sweeping.Lock()
	defer k.sweeping.Unlock()
	return errors.Join(
		k.Transactions.Sweep(ctx), k.changes.Sweep(ctx), k.Votes.Sweep(ctx), k.Transactions.SweepLostJobs(ctx),
		k.Broadcasts.SweepNonces(ctx), k.Recoveries.Sweep(ctx), k.Payees.Sweep(ctx), k.X402Payments.Sweep(ctx),
		k.PasskeyNotices.Sweep(ctx),
	)
}
