package life

import (
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/page"
)

// Draft is an agent that is prepared. It keeps for the second round what the first one asked for.
type Draft struct {
	WorkspaceID, RequestID string // of the activity that makes the agent
	Description            string
	Asked                  Asked
	CreatedAt              time.Time
}

// Asked is what an agent's activation asks for.
type Asked struct {
	Limits             wire.AgentLimits `json:"limits"`
	RecipientPublicKey string           `json:"recipientPublicKey,omitempty"`
}

// Agent says that there is an agent. What it may do, the enclave knows.
type Agent struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	WalletID          string // the enclave's
	Name, Description string
	Asked             Asked
	SecretProof       string // JSON of wire.Proof, of the statement with the sealed secret; "" where there is none
	CreatedAt         time.Time
}

// Filter selects agents, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID       string
	SubOrganizationID string
	Search            string // part of the name
	Page              page.Page
}

func (a Agent) cursor() page.Cursor { return page.Cursor{CreatedAt: a.CreatedAt, ID: a.ID} }
