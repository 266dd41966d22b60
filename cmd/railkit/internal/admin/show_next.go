package admin

import (
	"fmt"
	"slices"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/rest"
)

// next is what to type or do about it, in the order in which it is best tried.
func (o sight) next() (all []string) {
	switch o.Kind {
	case "order":
		all = o.nextOfOrder()
	case "transaction":
		all = o.nextOfTransaction()
	case "approval":
		if o.Status == "pending" {
			all = append(all, "a user of its sub-organization votes, with a passkey: "+
				"POST /v1/signing/approvals/"+o.ID+"/approve?prepare=true (docs/approvals.md)")
		}
	case "agent":
		all = append(all, "railkit admin kill-switch on --reason TEXT stops all agents of the platform; "+
			"its owner stops this one (docs/agents.md)")
	}
	for _, j := range o.Jobs {
		if j.LastError != "" {
			all = append(all, "railkit doctor says whether what the job "+j.Kind+" needs answers")
			break
		}
	}
	seen := map[string]bool{o.ID: true}
	for _, l := range o.Links {
		if !seen[l.ID] && slices.Contains(lookedUp, l.Kind) {
			seen[l.ID] = true
			all = append(all, "railkit admin show "+l.ID)
		}
	}
	return all
}

// lookedUp are the kinds of links that are found by their id.
var lookedUp = []string{
	"order", "transaction", "activity", "approval", "agent", "x402_payment", "member", "wallet", "sub_organization",
	"recipient", "bank_account", "workspace",
}

// ordersManual has what each command does.
const ordersManual = "docs/operations.md, Orders that wait for a person, says when"

func (o sight) nextOfOrder() []string {
	d := o.Order
	do := func(command, more string) string {
		return fmt.Sprintf("railkit admin order %s --workspace %s --order %s%s", command, o.WorkspaceID, d.Reference,
			more)
	}
	const decided = " --by NAME --reason TEXT"
	switch {
	case d.Status == string(order.InReview):
		return nextOfReview(d, do, decided)
	case d.Refund != nil && d.Refund.Status == "failed":
		return []string{do("retry-refund", "") + ": " + ordersManual}
	case d.DelayReason != "":
		return []string{do("retry-payout", ""), do("accept-transfer", decided), do("write-off-transfer", decided) +
			": settle it with the partner first; " + ordersManual}
	}
	return nil
}

// nextOfReview is how an order leaves its review.
func nextOfReview(d *rest.OrderDetail, do func(command, more string) string, decided string) []string {
	switch d.ReviewReason {
	case order.HoldScreening, order.HoldSentTwice:
		return []string{do("release", decided), do("give-back", decided) + ": " + ordersManual}
	case order.HoldUnscreened:
		return []string{"it goes on by itself once the screening provider answers: railkit doctor"}
	case order.HoldVanished:
		return []string{do("cover-deposit", ""), do("drop-deposit", "") + ": " + ordersManual}
	case order.HoldForgotten:
		return []string{do("disown-transfer", " --transfer ID"+decided) + ": " + ordersManual}
	}
	return []string{do("give-back", decided) + ", or another command: " + ordersManual}
}

func (o sight) nextOfTransaction() []string {
	switch o.Status {
	case "awaiting_signature":
		return []string{"its owner stamps it, or it expires"}
	case "awaiting_approval":
		return []string{"it waits for votes: see its approval"}
	case "pending", "broadcast":
		return []string{"railkit doctor says whether the nodes of its network answer"}
	}
	return nil
}
