// Package agent is the agent kit: programs that sign their requests with a secret of their own. The secret is in the
// signer, and so is every decision about it. Here are what agents are and buy, and what is counted beside the signer.
// The kit stands on the signing kit, which does not know it: agents' wallets and payments are its wallets and
// transactions, and what changes with them is written in the same transaction of the database.
//
// Each noun has a package of its own below this one; here they are only put together. From the bottom up:
//
//	killswitch  the operator's switch
//	budget      what calls and LLM tokens of a month cost
//	identity    who signed a request
//	call        what an agent asks for on its own word, on its way through the enclave
//	payment     what agents pay: transactions under their own signature
//	x402pay     what agents buy of servers that take the money themselves
//	life        agents, from their making to their end: a wallet, limits and a secret
//	event       what agents report
//	analytics   both, and payments, day by day
//	skill       functions of somebody's server that agents call
//	tool        which agent may call which skill
//	execution   calls of skills, and what payments for them buy
package agent

import (
	"context"
	"errors"
	"log/slog"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/agent/analytics"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/kit/agent/execution"
	"github.com/railkit/railkit/kit/agent/identity"
	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/agent/payment"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/tool"
	"github.com/railkit/railkit/kit/agent/x402pay"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/x402/shop"
)

// Kit is the nouns, put together.
type Kit struct {
	Budgets      *budget.Service
	Identity     *identity.Service
	Payments     *payment.Service
	X402Payments *x402pay.Service
	Agents       *life.Service
	Events       *event.Service
	Analytics    *analytics.Service
	Skills       *skill.Service
	Tools        *tool.Service
	Executions   *execution.Service
}

// Stores are what the nouns need of a database. The database has one for each.
type Stores struct {
	Payments     payment.Store
	X402Payments x402pay.Store
	Agents       life.Store
	Events       event.Store
	Analytics    analytics.Store
	Skills       skill.Store
	Tools        tool.Store
	Executions   execution.Store
}

// Tx is what the nouns that stand on the signing kit write in one transaction of the database, with rows of that kit.
// The others have transactions of their own.
type Tx interface {
	life.Tx
	payment.Tx
	x402pay.Tx
}

// Enclave is what the kit asks of the signer, beside what it asks by way of the signing kit.
type Enclave interface {
	identity.Enclave
	event.Agents
}

// Config wires a Kit.
type Config struct {
	Stores      Stores
	Signing     *signing.Kit
	Budgets     *budget.Service // the signing kit asks it too, so that it is made before both kits
	Enclave     Enclave
	Tenants     identity.Tenants
	Environment chain.Environment
	Networks    []chain.Network
	Client      *fetch.Client // asks sellers and skills
	Vault       *vault.Vault  // seals what they are asked, and answers that wait for their payment
	Audit       audit.Lister
	Facilitator shop.Facilitator // nil: only free skills are called
	Origin      string           // at which callers reach the API; "": whatever a request names
	Clock       clock.Clock
	Log         *slog.Logger
}

// New puts the nouns together, each on those below it, and tells the signing kit what agents' bodies are.
func New(c Config) *Kit {
	k := &Kit{Budgets: c.Budgets}
	k.Identity = identity.New(c.Enclave, c.Tenants, c.Budgets, string(c.Environment))
	sponsors := shop.SponsorsOf(c.Facilitator, c.Clock)
	k.sign(c, c.Signing, sponsors)
	k.Events = event.New(c.Stores.Events, c.Enclave, c.Budgets)
	k.Analytics = analytics.New(analytics.Config{
		Store: c.Stores.Analytics, Agents: k.Identity, Directory: directory{k.Agents},
	})
	k.Skills = skill.New(skill.Config{
		Store: c.Stores.Skills, Wallets: wallets{c.Signing.Wallets}, Sponsors: sponsors, Vault: c.Vault,
		Client:   c.Client,
		Networks: c.Networks, Origin: c.Origin, Clock: c.Clock,
	})
	k.Tools = tool.New(c.Stores.Tools, k.Identity, k.Skills, c.Clock)
	k.Executions = execution.New(execution.Config{
		Store: c.Stores.Executions, Skills: k.Skills, Tools: k.Tools, Agents: k.Identity, Switches: c.Budgets,
		Facilitator: c.Facilitator, Sponsors: sponsors, Vault: c.Vault, Networks: c.Networks, Origin: c.Origin,
		Clock: c.Clock,
		Log:   c.Log,
	})
	return k
}

// sign wires what the signer does for agents.
func (k *Kit) sign(c Config, s *signing.Kit, sponsors *shop.Sponsors) {
	k.Payments = payment.New(payment.Config{
		Store: c.Stores.Payments, Enclave: s.Enclave, Activities: s.Activities, Transactions: s.Transactions,
		Planner: s.Planner, Nodes: s.Nodes, Budget: c.Budgets, Clock: c.Clock, Log: c.Log,
	})
	buying := x402pay.Config{
		Store: c.Stores.X402Payments, Enclave: s.Enclave, Activities: s.Activities, Planner: s.Planner, Nodes: s.Nodes,
		Budget: c.Budgets, Client: c.Client, Vault: c.Vault, Clock: c.Clock, Log: c.Log,
	}
	if sponsors != nil {
		buying.Sponsors = sponsors
	}
	k.X402Payments = x402pay.New(buying)
	k.Agents = life.New(life.Config{
		Store: c.Stores.Agents, Enclave: s.Enclave, Activities: s.Activities, Changes: s.Changes,
		Passkeys: s.Passkeys, Wallets: s.Wallets, Networks: c.Networks, Transactions: s.Transactions, Nodes: s.Nodes,
		Outstanding: s.Outstanding, Audit: c.Audit, Budget: c.Budgets, Clock: c.Clock, Log: c.Log,
	})
	s.Changes.Register(k.Agents.Kinds()...)
	s.Changes.Register(k.X402Payments.Kinds()...)
}

// Sweep finds the rows that have waited too long, and does what they wait for.
func (k *Kit) Sweep(ctx context.Context) error {
	return errors.Join(k.X402Payments.Sweep(ctx), k.Budgets.Sweep(ctx), k.Skills.Sweep(ctx), k.Executions.Sweep(ctx))
}
