package rest

import "encoding/json"

// SkillRequest is a skill to register.
type SkillRequest struct {
	Name         string         `json:"name" minLength:"1" maxLength:"100"`
	URL          string         `json:"url" minLength:"1" maxLength:"2048" doc:"What is called: an address of the Internet that begins with https://"`
	Description  *string        `json:"description,omitempty" maxLength:"1000"`
	Method       *string        `json:"method,omitempty" enum:"GET,POST,PUT,DELETE" doc:"POST unless given"`
	AuthType     *string        `json:"auth_type,omitempty" enum:"none,api_key,bearer" doc:"What the platform shows to the url: none unless given"`
	AuthConfig   *SkillAuth     `json:"auth_config,omitempty"`
	IsPublic     *bool          `json:"is_public,omitempty" doc:"Every workspace of the environment sees it"`
	Visibility   *string        `json:"visibility,omitempty" enum:"public,private" doc:"Another way to say is_public"`
	Subtype      *string        `json:"subtype,omitempty" enum:"x402,mcp,http,internal" doc:"x402 unless given. An internal one is the workspace's own and never public"`
	CostUSDC     *int64         `json:"cost_usdc,omitempty" minimum:"0" maximum:"1000000000" doc:"Micro-USD for each call: 1000 are 0.001 USDC"`
	PriceUSDC    *string        `json:"priceUSDC,omitempty" maxLength:"20" doc:"Another way to say cost_usdc: USDC as a decimal, such as 0.001"`
	PayTo        *string        `json:"payTo,omitempty" maxLength:"64" doc:"Who is paid for a call: an address of a wallet of the workspace. Required where it costs something"`
	Network      *string        `json:"network,omitempty" maxLength:"32" doc:"Where payTo is paid: a network with USDC"`
	SchemaInput  map[string]any `json:"schema_input,omitempty" doc:"JSON Schema of what a call takes, of 16 KiB at most"`
	SchemaOutput map[string]any `json:"schema_output,omitempty" doc:"JSON Schema of what a call answers, of 16 KiB at most"`
}

// SkillChange has the fields of a skill to change.
type SkillChange struct {
	Name         *string        `json:"name,omitempty" minLength:"1" maxLength:"100"`
	URL          *string        `json:"url,omitempty" minLength:"1" maxLength:"2048" doc:"With another host or port, auth_config has to be given again"`
	Description  *string        `json:"description,omitempty" maxLength:"1000"`
	Method       *string        `json:"method,omitempty" enum:"GET,POST,PUT,DELETE"`
	AuthType     *string        `json:"auth_type,omitempty" enum:"none,api_key,bearer"`
	AuthConfig   *SkillAuth     `json:"auth_config,omitempty"`
	IsPublic     *bool          `json:"is_public,omitempty" doc:"Every workspace of the environment sees it"`
	Visibility   *string        `json:"visibility,omitempty" enum:"public,private" doc:"Another way to say is_public"`
	Subtype      *string        `json:"subtype,omitempty" enum:"x402,mcp,http,internal"`
	CostUSDC     *int64         `json:"cost_usdc,omitempty" minimum:"0" maximum:"1000000000" doc:"Micro-USD for each call: 1000 are 0.001 USDC"`
	PriceUSDC    *string        `json:"priceUSDC,omitempty" maxLength:"20" doc:"Another way to say cost_usdc: USDC as a decimal, such as 0.001"`
	PayTo        *string        `json:"payTo,omitempty" maxLength:"64" doc:"An address of a wallet of the workspace"`
	Network      *string        `json:"network,omitempty" maxLength:"32" doc:"Where payTo is paid: a network with USDC"`
	SchemaInput  map[string]any `json:"schema_input,omitzero" doc:"{} takes it away"`
	SchemaOutput map[string]any `json:"schema_output,omitzero" doc:"{} takes it away"`
}

// SkillAuth is what a skill's url wants to see. It is sealed, and no answer has it.
type SkillAuth struct {
	Key    string `json:"key,omitempty" maxLength:"4096" doc:"Where type is api_key: the key that is sent"`
	Header string `json:"header,omitempty" maxLength:"64" doc:"Of api_key: the header that has the key; X-Api-Key unless given"`
	Token  string `json:"token,omitempty" maxLength:"4096" doc:"Where type is bearer: the token that is sent"`
}

// Skill is a function that agents call over HTTP.
type Skill struct {
	ID           string         `json:"id" format:"uuid"`
	Owner        string         `json:"owner" format:"uuid" doc:"Workspace that registered it"`
	Name         string         `json:"name"`
	Description  string         `json:"description,omitempty"`
	URL          string         `json:"url"`
	Method       string         `json:"method" enum:"GET,POST,PUT,DELETE"`
	AuthType     string         `json:"auth_type" enum:"none,api_key,bearer"`
	IsPublic     bool           `json:"is_public"`
	Subtype      string         `json:"subtype" enum:"x402,mcp,http,internal"`
	CostUSDC     int64          `json:"cost_usdc" doc:"Micro-USD for each call"`
	PayTo        string         `json:"payTo,omitempty"`
	Network      string         `json:"network,omitempty"`
	SchemaInput  map[string]any `json:"schema_input,omitempty"`
	SchemaOutput map[string]any `json:"schema_output,omitempty"`
	Health       SkillHealth    `json:"health"`
	CreatedAt    string         `json:"createdAt" format:"date-time"`
	UpdatedAt    string         `json:"updatedAt" format:"date-time"`
}

// SkillHealth is what came of the last check of a public skill.
type SkillHealth struct {
	Status        string  `json:"status" enum:"unknown,healthy,unhealthy" doc:"unhealthy after two failed checks in a row, healthy after one that did not fail"`
	LastCheckedAt *string `json:"lastCheckedAt" format:"date-time"`
	LatencyMS     *int64  `json:"latencyMs"`
	HTTPStatus    *int    `json:"httpStatus" doc:"null: the last check got no answer"`
	Reason        string  `json:"reason,omitempty" doc:"Why the last check failed: a code such as remote_timeout, or http_status"`
}

// SkillDeleted is a skill that is no more.
type SkillDeleted struct {
	ID        string `json:"id" format:"uuid"`
	DeletedAt string `json:"deletedAt" format:"date-time"`
}

// SkillTest calls a skill once.
type SkillTest struct {
	Input map[string]any `json:"input,omitempty" doc:"The body of the call or, of GET and DELETE, its query; 64 KiB at most"`
}

// SkillTested is what a skill answered to a test.
type SkillTested struct {
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers" doc:"Without cookies and what is about the connection"`
	Body      string            `json:"body" doc:"As text, the first 64 KiB"`
	Truncated bool              `json:"truncated" doc:"The body is longer"`
	LatencyMS int64             `json:"latencyMs"`
}

// SkillCall calls a skill.
type SkillCall struct {
	Input map[string]any `json:"input,omitempty" doc:"The body of the call or, of GET and DELETE, its query; 64 KiB at most. It has to be as schema_input says"`
}

// SkillAnswer is what a skill answered, and what was paid for it.
type SkillAnswer struct {
	SkillID   string            `json:"skillId" format:"uuid"`
	Status    int               `json:"status" doc:"Of the skill's server. From 400 on nothing is paid"`
	Headers   map[string]string `json:"headers" doc:"Without cookies and what is about the connection"`
	Body      string            `json:"body" doc:"As it came; at most 256 KiB"`
	Encoding  string            `json:"bodyEncoding,omitempty" enum:"base64" doc:"Where the body is no UTF-8 text"`
	Output    json.RawMessage   `json:"output,omitempty" doc:"The body, where it is JSON"`
	LatencyMS int64             `json:"latencyMs"`
	Payment   *SkillPayment     `json:"payment,omitempty" doc:"Absent: nothing was paid"`
}

// SkillPayment is what was paid for a call, as the facilitator told it.
type SkillPayment struct {
	Transaction string `json:"transaction" doc:"Hash of the transaction that moved the money"`
	Network     string `json:"network" doc:"CAIP-2"`
	Payer       string `json:"payer"`
	PayTo       string `json:"payTo"`
	Amount      string `json:"amount" doc:"Smallest unit of the asset"`
	Asset       string `json:"asset" doc:"Contract of USDC"`
}

// Bazaar is a page of the skills that are on offer, in the discovery format of x402.
type Bazaar struct {
	X402Version int          `json:"x402Version" doc:"Version of the protocol: 2"`
	Items       []BazaarItem `json:"items"`
	Pagination  BazaarPage   `json:"pagination"`
	ComingSoon  bool         `json:"coming_soon" doc:"Always false: what is listed can be called"`
}

// BazaarPage is where a page of the bazaar is.
type BazaarPage struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
	Total  int `json:"total"`
}

// BazaarItem is a skill that is on offer.
type BazaarItem struct {
	Resource    string         `json:"resource" doc:"Where it is called, by POST of {input}, and paid for"`
	Type        string         `json:"type" enum:"http,mcp"`
	X402Version int            `json:"x402Version" doc:"Version of the protocol: 2"`
	Accepts     []BazaarOffer  `json:"accepts"`
	LastUpdated string         `json:"lastUpdated" format:"date-time"`
	Metadata    BazaarMetadata `json:"metadata"`
}

// BazaarOffer is how a call is paid, as x402 writes it.
type BazaarOffer struct {
	Scheme            string      `json:"scheme" doc:"How it is paid: exact"`
	Network           string      `json:"network" doc:"CAIP-2"`
	Amount            string      `json:"amount" doc:"Smallest unit of the asset"`
	Asset             string      `json:"asset" doc:"Contract of USDC"`
	PayTo             string      `json:"payTo"`
	MaxTimeoutSeconds int         `json:"maxTimeoutSeconds"`
	Extra             BazaarExtra `json:"extra"`
}

// BazaarExtra is the asset's EIP-712 domain.
type BazaarExtra struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	FeePayer string `json:"feePayer,omitempty" doc:"On Solana: who pays the network's fee"`
}

// BazaarMetadata is what a skill does.
type BazaarMetadata struct {
	SkillID      string         `json:"skillId" format:"uuid"`
	Name         string         `json:"name"`
	Description  string         `json:"description,omitempty"`
	Subtype      string         `json:"subtype" enum:"x402,mcp,http,internal"`
	Method       string         `json:"method" enum:"GET,POST,PUT,DELETE"`
	SchemaInput  map[string]any `json:"schema_input,omitempty"`
	SchemaOutput map[string]any `json:"schema_output,omitempty"`
}

// AgentToolRequest puts a skill on an agent's list.
type AgentToolRequest struct {
	SkillID  string `json:"skill_id" format:"uuid"`
	ToolType string `json:"toolType,omitempty" enum:"skill"`
}

// AgentTool is a skill that an agent may call.
type AgentTool struct {
	ToolID      string `json:"toolId" format:"uuid" doc:"Id of the skill"`
	ToolType    string `json:"toolType" enum:"skill"`
	Available   bool   `json:"available" doc:"false: it was deleted, or its owner made it private. It cannot be called then, and nothing else of it is told"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Subtype     string `json:"subtype" enum:"x402,mcp,http,internal"`
	CostUSDC    int64  `json:"cost_usdc" doc:"Micro-USD for each call"`
	Health      string `json:"health" enum:"unknown,healthy,unhealthy"`
	AddedAt     string `json:"addedAt" format:"date-time"`
}

// AgentTools are the skills that an agent may call, by subtype.
type AgentTools struct {
	X402     []AgentTool `json:"x402"`
	MCP      []AgentTool `json:"mcp"`
	HTTP     []AgentTool `json:"http"`
	Internal []AgentTool `json:"internal"`
}

// AgentToolRemoved is a skill that was taken off an agent's list.
type AgentToolRemoved struct {
	AgentID   string `json:"agentId" format:"uuid"`
	ToolID    string `json:"toolId" format:"uuid"`
	RemovedAt string `json:"removedAt" format:"date-time"`
}
