package execution

import "github.com/railkit/railkit/fault"

var (
	errNotTool = fault.Define(fault.Forbidden, "skill_not_allowed", "The agent may not call this skill",
		"The skill is not on the agent's list: the agent's owner puts it there with POST /v1/agents/{id}/tools")
	errPay = fault.Define(fault.PaymentRequired, "x402_payment_required", "This call costs money: pay by x402",
		"A skill that costs something was called without a payment, or with one that does not pay: details.accepts and "+
			"the header PAYMENT-REQUIRED have the offers, details.error says what was wrong. Nothing was taken")
	errUsed = fault.Define(fault.PaymentRequired, "x402_payment_used", "The payment was used for another call",
		"A payment buys one call: it came with another skill, input or caller before, or longer than 24 hours ago")
	errRefused = fault.Define(fault.PaymentRequired, "x402_settlement_refused", "The payment could not be settled",
		"The skill was called, and the facilitator refuses the settlement: the header PAYMENT-RESPONSE says why. The "+
			"answer is kept and given out only if the same request can be settled later")
	errPending = fault.Define(fault.PaymentRequired, "x402_settlement_pending",
		"The payment is on its way: send the same request again",
		"The settlement was sent and is in no block yet. The same request with the same payment gets the answer; a new "+
			"payment pays twice")
	errUnknown = fault.Define(fault.Upstream, "x402_settlement_unknown",
		"Nobody knows yet whether the payment was settled: send the same request again",
		"The facilitator did not answer to a settlement, so that the money may have moved. The same request with the "+
			"same payment gets the answer; a new payment pays twice")
	errBusy = fault.Define(fault.Conflict, "x402_payment_busy", "Another request is at work with this payment",
		"The same request is under way, at this server or another one, or was when its server died; it ends within two "+
			"minutes. Send the same again then")
	errFacilitator = fault.Define(fault.Upstream, "x402_facilitator_failed",
		"The payment could not be verified; nothing was taken",
		"The facilitator does not answer, or not as one; send the same request again")
	errNoFacilitator = fault.Define(fault.Unavailable, "x402_not_configured", "This server sells no skills",
		"A skill that costs something was called at a server without --facilitator-url; free ones can be called")

	errNoOffer = fault.Define(fault.Unprocessable, "skill_not_payable", "Nobody can pay for this skill",
		"The skill's network is none of this environment any more, or not one that x402 pays on; its owner can change it")
)
