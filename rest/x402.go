package rest

import "encoding/json"

// X402PayRequest is the body of POST /v1/agents/{id}/x402-pay: one of three forms of what is paid, or the id of a
// payment that goes on.
type X402PayRequest struct {
	URL       string            `json:"url,omitempty" maxLength:"2048" doc:"What is asked for, and paid where it costs something; its host has to be one of the agent's allowedHosts"`
	Method    string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE" doc:"With url, or with resource_url: how the seller is asked for its offers. Absent: GET, or POST where there is a body"`
	Headers   map[string]string `json:"headers,omitempty" doc:"With url: what the seller gets beside the payment"`
	Body      json.RawMessage   `json:"body,omitempty" doc:"With url: a text is sent as it is, anything else as JSON"`
	MaxAmount SmallestUnits     `json:"maxAmount,omitempty" maxLength:"20" doc:"With url: the most that is paid, a whole number of USDC's smallest unit: 10000 are 0.01 USDC"`

	ResourceURL string        `json:"resource_url,omitempty" maxLength:"2048" doc:"What the agent asks for by itself, with the header that the answer has"`
	Amount      SmallestUnits `json:"amount,omitempty" maxLength:"20" doc:"With resource_url: the most that is paid, a whole number of USDC's smallest unit"`
	Recipient   string        `json:"recipient,omitempty" maxLength:"64" doc:"With resource_url: who alone is paid"`
	Memo        string        `json:"memo,omitempty" maxLength:"256" doc:"With resource_url: on Solana what the transaction says, 256 bytes at most, which offers that ask for another memo do not fit; elsewhere not sent to anybody"`
	Cluster     string        `json:"cluster,omitempty" maxLength:"32" doc:"Slug of the only network to pay on, or what Solana's own programs call it (devnet, mainnet-beta); absent: any that the agent's limits allow. With paymentRequirement it has to be its network"`

	PaymentRequirement *X402Requirement `json:"paymentRequirement,omitempty"`

	PaymentID string `json:"paymentId,omitempty" maxLength:"64" doc:"Goes on with a payment, by itself: sends the same signed transfer to the seller again, or for the first time once its approval was given"`
}

// X402Requirement is an offer as older agents send it.
type X402Requirement struct {
	Amount      string `json:"amount" maxLength:"20" doc:"USDC, with at most 6 decimals"`
	Currency    string `json:"currency" enum:"USDC"`
	Network     string `json:"network" maxLength:"32" doc:"Slug of the network"`
	Recipient   string `json:"recipient" maxLength:"64"`
	Description string `json:"description,omitempty" maxLength:"1024"`
	Resource    string `json:"resource,omitempty" maxLength:"2048" doc:"URL of what was bought"`
	FeePayer    string `json:"feePayer,omitempty" maxLength:"64" doc:"On Solana: who pays the network's fee, as the seller's offer names it; absent: the platform's facilitator"`
	Memo        string `json:"memo,omitempty" maxLength:"256" doc:"On Solana: what the transaction says, 256 bytes at most; absent: 16 random bytes"`
}

// X402Answer is the seller's answer, or the header that pays, and how the payment stands.
type X402Answer struct {
	Status   int               `json:"status,omitempty" doc:"HTTP status of the seller's answer"`
	Headers  map[string]string `json:"headers,omitempty" doc:"Of the seller's answer, without cookies"`
	Body     string            `json:"body,omitempty" doc:"Of the seller's answer, at most 1 MiB"`
	Encoding string            `json:"bodyEncoding,omitempty" enum:"base64" doc:"Where the body is no UTF-8 text, or is compressed: Content-Encoding in headers then says how. gzip is decoded where it is 1 MiB at most"`

	PaymentHeader     string `json:"paymentHeader,omitempty" doc:"Value of the header that pays, where the agent asks by itself"`
	PaymentHeaderName string `json:"paymentHeaderName,omitempty" doc:"X-PAYMENT or PAYMENT-SIGNATURE"`
	TransactionID     string `json:"transactionId,omitempty" doc:"Id of the payment"`

	Payment *X402Payment `json:"payment,omitempty" doc:"Absent: the seller wants no money, and nothing was paid"`
}

// X402Payment is what became of a payment.
type X402Payment struct {
	ID          string        `json:"id" format:"uuid"`
	AgentID     string        `json:"agentId" format:"uuid"`
	State       string        `json:"state" enum:"prepared,signed,settled,unused,void" doc:"prepared: not signed yet, or waits for approval; signed: the seller can take the money until validBefore, on Solana in a block up to lastHeight; settled: the chain says that the money moved; unused: it can move no more, and never did; void: the same, because its nonce was used up otherwise, or its transaction failed on chain"`
	Amount      SmallestUnits `json:"amount" doc:"Smallest unit of USDC: what was signed for, or of a settled payment what moved"`
	Asset       string        `json:"asset"`
	Network     string        `json:"network"`
	PayTo       string        `json:"payTo"`
	Resource    string        `json:"resource"`
	Delivery    string        `json:"delivery" enum:"pending,delivered,undelivered,unseen" doc:"pending: the seller has not answered, and may; delivered: it answered with what was paid for; undelivered: it answered otherwise, or not at all until validBefore; unseen: the agent asked the seller by itself, and the platform has not seen the answer"`
	Delivered   bool          `json:"delivered" doc:"delivery is delivered. What false means, delivery says: undelivered beside settled is a payment that was made and not delivered"`
	HTTPStatus  int           `json:"httpStatus,omitempty" doc:"Of the seller's last answer to the payment"`
	Tx          string        `json:"tx,omitempty" doc:"Hash of the transaction that moved the money"`
	Reason      string        `json:"reason,omitempty"`
	ValidBefore *string       `json:"validBefore" format:"date-time" doc:"When the signed transfer ends; null: it is not signed, or has a lastHeight instead"`
	LastHeight  *int64        `json:"lastHeight,omitempty" doc:"On Solana: the last height of a block that can have it. There is no time that ends it"`
	CreatedAt   string        `json:"createdAt" format:"date-time"`
	UpdatedAt   string        `json:"updatedAt" format:"date-time"`
}
