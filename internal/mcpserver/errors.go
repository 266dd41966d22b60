package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// toldError is what a model is told: a code, and what to do, in words.
type toldError struct {
	code, words string
	err         error
}

func (e *toldError) Error() string { return e.code + ": " + e.words }

// Unwrap gives what happened.
func (e *toldError) Unwrap() error { return e.err }

// wrong is the refusal of an argument.
func wrong(words string) error { return &toldError{code: "wrong_argument", words: words} }

// advice is what a model can do about a refusal of the API, by its code. Where there is none, it gets the message.
var advice = map[string]string{
	"agent_killed":                "The agent was killed, for good. Stop, and tell the user.",
	"agent_not_active":            "The agent's owner has halted it. Stop, and tell the user.",
	"agent_policies_pending":      "The agent's owner has not finished making it: it has no limits yet.",
	"kill_switch_active":          "All agents are stopped. Stop, and tell the user.",
	"agent_host_not_allowed":      "The agent's owner does not allow payments at this host, or the URL is not https. Another URL may be allowed; asking again is not.",
	"agent_not_allowed":           "The agent's owner does not allow this: another recipient, or a higher amount than for one payment.",
	"insufficient_wallet_balance": "The agent's wallet has too little USDC. Nothing was paid. Its owner can fund it.",
	"x402_offers_unreadable":      "The server asks for money in a way that cannot be read. Nothing was paid.",
	"x402_offers_empty":           "The server asks for money, and offers no way to pay now. Nothing was paid.",
	"x402_not_offered":            "The server asks for money, but not by x402. Nothing was paid.",
	"l402_not_paid":               "The server takes Lightning (L402), which this agent does not pay. Nothing was paid.",
	"permit2_allowance_required":  "The agent's wallet has not allowed Permit2 to take this amount. Nothing was paid. Its owner can allow it.",
	"x402_payment_waits":          "The payment still waits for approval. Call approvals.",
	"x402_payment_over":           "The payment can no longer be sent, and no money moved. Begin a new one with the url if it is still wanted.",
	"invalid_auth":                "The API does not know the agent by this secret. The operator of this server has to mend that.",
}

// told is what a model is told of an error. key is that of a call that may have paid.
func told(err error, key string) error {
	var answer *railkit.Error
	switch {
	case errors.Is(err, context.Canceled):
		return &toldError{"cancelled", "The call was cancelled. " + again(key), err}
	case !errors.As(err, &answer):
		return &toldError{"no_answer", "The API did not answer. " + again(key), err}
	}
	words := advice[answer.Code]
	switch {
	case answer.Code == "budget_exhausted":
		words = exhausted(answer)
	case answer.Code == "x402_no_offer":
		words = noOffer(answer)
	case words != "":
	case answer.Status == http.StatusTooManyRequests:
		words = fmt.Sprintf("Too many calls. Wait %s, then go on.", answer.RetryAfter)
	case answer.Status == http.StatusConflict && answer.RetryAfter > 0:
		words = fmt.Sprintf("%s. Wait %s. %s", answer.Message, answer.RetryAfter, again(key))
	case answer.Status >= http.StatusInternalServerError:
		words = answer.Message + ". " + again(key)
	default:
		words = answer.Message + "."
	}
	code := answer.Code
	if code == "" {
		code = fmt.Sprintf("http_%d", answer.Status)
	}
	return &toldError{code, words, err}
}

// again says how to find out what became of a call.
func again(key string) string {
	if key == "" {
		return "Ask again."
	}
	return "A payment may have been made. Call again with the same arguments and the retry_key " + key +
		": it then pays nothing twice."
}

// exhausted says which layer of the budget is used up.
func exhausted(answer *railkit.Error) string {
	var of struct{ Layers []wire.Shortfall }
	raw, err := json.Marshal(answer.Details)
	if err != nil || json.Unmarshal(raw, &of) != nil || len(of.Layers) == 0 {
		return "The agent's budget does not allow this. Nothing was paid."
	}
	var all []string
	for _, l := range of.Layers {
		text := fmt.Sprintf("Of the limit %s (%s) %s is spent and %s held, and %s was wanted", l.Limit, l.Rule, l.Spent,
			l.Held, l.Requested)
		if l.NeverFits {
			text += ": this never fits"
		} else if l.ResetsAt != "" {
			text += "; it begins anew at " + l.ResetsAt
		}
		all = append(all, text)
	}
	return "The agent's budget does not allow this. Nothing was paid. " + strings.Join(all, ". ") + "."
}

// noOffer says why none of a seller's offers was taken.
func noOffer(answer *railkit.Error) string {
	var of struct{ Skipped []struct{ Why, Words string } }
	raw, err := json.Marshal(answer.Details)
	if err != nil || json.Unmarshal(raw, &of) != nil || len(of.Skipped) == 0 {
		return "The server asks for money in no way that this agent may pay, or to somebody whom it may not pay. Nothing " +
			"was paid."
	}
	var all []string
	for _, s := range of.Skipped {
		if s.Why == "amount_over_limit" {
			s.Words = "it costs more than max_amount"
		}
		all = append(all, s.Words)
	}
	return "None of the server's offers fits. Nothing was paid. " + strings.Join(all, "; ") + "."
}
