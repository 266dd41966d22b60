package x402

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// oldRequirement is what the older dialect asks for: in the body as paymentRequirement, in the body as
// Payment-Required (the same object, or base64 of it), or as parameters of WWW-Authenticate: x402.
type oldRequirement struct {
	Amount      string `json:"amount"` // in units, with decimals
	Currency    string `json:"currency"`
	Network     string `json:"network"` // slug
	Recipient   string `json:"recipient"`
	Description string `json:"description"`
	Resource    string `json:"resource"`
	FeePayer    string `json:"feePayer"` // on Solana, as Extra has it
	Memo        string `json:"memo"`     // likewise
}

// oldSeconds is how long a payment of the older dialect may take, which does not say it.
const oldSeconds = 60

func readOld(header http.Header, body jsontext.Value) (Offer, bool) {
	for _, line := range header.Values("Www-Authenticate") {
		challenges, _ := parseChallenges(line)
		for _, c := range challenges {
			if strings.EqualFold(c.scheme, "x402") && c.Params["amount"] != "" {
				return oldOffer(oldRequirement{
					c.Params["amount"], c.Params["currency"], c.Params["network"], c.Params["recipient"],
					c.Params["description"], c.Params["resource"], c.Params["feepayer"], c.Params["memo"],
				}), true
			}
		}
	}
	var in struct {
		Requirement jsontext.Value `json:"paymentRequirement"`
		Required    jsontext.Value `json:"Payment-Required"`
	}
	if body == nil || json.Unmarshal(body, &in) != nil {
		return Offer{}, false
	}
	raw := in.Requirement
	if raw == nil {
		raw = in.Required
	}
	var text string
	if raw.Kind() == '"' && json.Unmarshal(raw, &text) == nil {
		raw, _ = DecodeHeader(text)
	}
	if raw == nil {
		return Offer{}, false
	}
	var r oldRequirement
	if json.Unmarshal(raw, &r) != nil {
		return Offer{Dialect: Old, unreadable: errUnreadable.Error()}, true
	}
	return oldOffer(r), true
}

func oldOffer(r oldRequirement) Offer {
	return Offer{
		Dialect: Old, Scheme: Exact, Network: r.Network, Amount: r.Amount, Asset: r.Currency, PayTo: r.Recipient,
		MaxTimeoutSeconds: oldSeconds, Resource: r.Resource, Description: r.Description,
		Extra: Extra{FeePayer: r.FeePayer, Memo: r.Memo},
	}
}
