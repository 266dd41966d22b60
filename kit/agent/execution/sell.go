package execution

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// ending is how long an answer may take to be committed, once the money has moved.
const ending = 10 * time.Second

// request is one call of Execute.
type request struct {
	*Service
	cmd     *command.Command
	at      HTTPHeaders
	call    call
	payment x402.Payload
	paid    bool      // the request has a payment that can be read
	wrong   string    // what is wrong with the one that it has
	was     *Purchase // of the payment, as it was read; nil: there was none
}

// read reads what is to be called, and the payment.
func (r *request) read(id string, in rest.SkillCall) (err error) {
	if r.call, err = callOf(r.cmd.Principal, strings.ToLower(id), in.Input); err != nil {
		return err
	}
	r.wrong = shop.NoPayment
	p, found, err := x402.ReadPayment(r.at.Header)
	if err != nil {
		r.wrong = x402.ReasonInvalidPayload
	}
	r.payment, r.paid = p, found && err == nil
	return nil
}

// goOn goes on with a purchase whose skill has answered: after a settlement without a known end, a server that died, or
// an answer that was lost on its way. The skill is not asked about, which may be gone or cost something else by now.
func (r *request) goOn(ctx context.Context) (known bool, answer command.Answer, err error) {
	if !r.paid {
		return false, answer, nil
	}
	p, err := r.c.Store.SkillPurchase(ctx, r.payment.ID())
	if errors.Is(err, fault.ErrNotFound) {
		return false, answer, nil
	}
	if err != nil {
		return false, answer, err
	}
	r.was = &p
	switch {
	case !p.isOf(r.call) || p.State != Claimed && p.Answer == "":
		return true, answer, r.refuse(errUsed, shop.Failure{
			Receipt: x402.Receipt{ErrorReason: x402.ReasonDuplicateSettlement},
		})
	case p.State == Settled:
		answer, err = r.repeat(ctx, p)
		return true, answer, err
	case r.c.Clock.Now().Before(p.BusyUntil):
		return true, answer, errBusy.After(time.Second)
	case p.State == Claimed:
		return false, answer, nil // buy takes it over
	}
	if p, err = r.takeOver(ctx, p, p.Asked, settling); err != nil {
		return true, answer, err
	}
	answer, err = r.take(ctx, p, nil)
	return true, answer, err
}

// terms are what a skill costs: its price, to whom its owner says, at the address of the call.
func (r *request) terms(ctx context.Context, k skill.Skill) (shop.Terms, x402.Resource, error) {
	resource := x402.Resource{
		URL:         skill.CallURL(cmp.Or(r.c.Origin, r.at.Origin), k.ID),
		Description: k.Name, MimeType: "application/json",
	}
	n, ok := chain.WithSlug(r.c.Networks, k.Network)
	token, has := n.TokenBySymbol("USDC")
	if !ok || !has || x402.NetworkID(n) == "" {
		return shop.Terms{}, resource, errNoOffer
	}
	offer := shop.Exactly(n, token, strconv.FormatInt(k.CostUSDC, 10), k.PayTo)
	var err error
	if offer.Extra.FeePayer, err = shop.SponsorOn(ctx, r.c.Sponsors, n); err != nil {
		return shop.Terms{}, resource, errFacilitator.Because(err)
	}
	terms, err := shop.Sale{Offers: []x402.Offer{offer}, Resource: resource}.Terms()
	return terms, resource, err
}

// buy has a skill called for a payment, or asks for one.
func (r *request) buy(ctx context.Context, k skill.Skill) (command.Answer, error) {
	if r.c.Facilitator == nil {
		return command.Answer{}, errNoFacilitator
	}
	terms, resource, err := r.terms(ctx, k)
	if err != nil {
		return command.Answer{}, err
	}
	if !r.paid {
		return command.Answer{}, r.ask(terms, resource, r.wrong)
	}
	matched, ok := terms.Match(r.payment, resource)
	if !ok {
		return command.Answer{}, r.ask(terms, resource, shop.NoMatch)
	}
	p, err := r.claim(ctx, matched)
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := r.take(ctx, p, &k)
	var f *shop.Failure
	if errors.As(err, &f) && f.Stage == shop.Unpaid {
		return command.Answer{}, r.ask(terms, resource, f.Receipt.ErrorReason)
	}
	return answer, err
}

// ask is the answer 402 with the offers.
func (r *request) ask(terms shop.Terms, resource x402.Resource, reason string) error {
	a, err := terms.Ask(resource, reason)
	if err != nil {
		return err
	}
	r.at.Answer.Set(x402.HeaderRequired, a.Header)
	return errPay.With("x402Version", x402.V2.Version()).With("error", reason).With("resource", resource).
		With("accepts", a.V2.List)
}

// claim takes a payment for this request, or takes over the claim of a server that died. It is refused while another
// request has it.
func (r *request) claim(ctx context.Context, matched shop.Purchase) (Purchase, error) {
	// What the facilitator knows this sale by. It is in the row: a server that goes on with it after another one died
	// hears the success that the other one heard, and no other sale does.
	matched.Asked.Identifier = record.NewID()
	asked, err := json.Marshal(matched.Asked)
	if err != nil {
		return Purchase{}, err
	}
	if r.was != nil {
		return r.takeOver(ctx, *r.was, string(asked), calling)
	}
	now := r.c.Clock.Now()
	p := Purchase{
		Payment: r.payment.ID(), WorkspaceID: r.call.workspaceID, Caller: r.call.caller, SkillID: r.call.skillID,
		Input: r.call.hash, Claim: record.NewID(), State: Claimed, Asked: string(asked), BusyUntil: now.Add(calling),
		EndsAt: endOf(r.payment, now), CreatedAt: now, UpdatedAt: now,
	}
	err = r.do(ctx, func(ctx context.Context, tx Tx) error { return tx.ClaimSkillPurchase(ctx, p) })
	return p, err
}

// takeOver goes on with a purchase in another request's place. Of several that try, one does.
func (r *request) takeOver(ctx context.Context, was Purchase, asked string, within time.Duration) (Purchase, error) {
	now, p := r.c.Clock.Now(), was
	if now.Before(was.BusyUntil) {
		return p, errBusy.After(time.Second)
	}
	p.Claim, p.Asked, p.BusyUntil, p.UpdatedAt = record.NewID(), asked, now.Add(within), now
	err := r.do(ctx, func(ctx context.Context, tx Tx) error { return tx.TakeSkillPurchase(ctx, was, p) })
	return p, err
}

// do changes a purchase. Where it is no longer as it was read, another request is at work with it.
func (r *request) do(ctx context.Context, change func(context.Context, Tx) error) error {
	err := record.Do(ctx, r.c.Store, r.call.workspaceID, change)
	if errors.Is(err, record.ErrStale) {
		return errBusy.After(time.Second)
	}
	return err
}

// take brings a purchase that this request holds to its end: the skill k is called, or was called before.
func (r *request) take(ctx context.Context, p Purchase, k *skill.Skill) (command.Answer, error) {
	var asked x402.Request
	if err := json.Unmarshal([]byte(p.Asked), &asked); err != nil {
		return command.Answer{}, err
	}
	if r.c.Facilitator == nil {
		return command.Answer{}, errNoFacilitator
	}
	var v rest.SkillAnswer
	receipt, err := shop.Take(ctx, r.c.Facilitator, asked, p.State != Claimed, func(ctx context.Context) (bool, error) {
		if k == nil {
			var err error
			v, err = r.opened(p)
			return err == nil, err
		}
		return r.served(ctx, &p, *k, &v)
	})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	var f *shop.Failure
	switch {
	case err == nil:
		return r.settled(ctx, p, v, asked, receipt)
	case !errors.As(err, &f):
		return command.Answer{}, err
	case p.State == Claimed:
		return r.unsold(ctx, p, v, f)
	}
	return command.Answer{}, r.unsettled(ctx, p, f)
}

// served calls the skill, and keeps its answer before the payment is handed in.
func (r *request) served(ctx context.Context, p *Purchase, k skill.Skill, v *rest.SkillAnswer) (sold bool, err error) {
	calling, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	a, err := r.c.Skills.Call(calling, k, r.call.input, mostAnswer)
	if err != nil {
		return false, err
	}
	*v = view(k.ID, a)
	if a.Status >= http.StatusBadRequest {
		return false, nil
	}
	raw, err := json.Marshal(*v)
	if err != nil {
		return false, err
	}
	is := *p
	is.State, is.Answer, is.UpdatedAt = Called, r.c.Vault.Seal(p.place(), raw), r.c.Clock.Now()
	is.BusyUntil = is.UpdatedAt.Add(settling)
	err = r.do(ctx, func(ctx context.Context, tx Tx) error { return tx.MoveSkillPurchase(ctx, is, Claimed) })
	if err == nil {
		*p = is
	}
	return err == nil, err
}

// opened is the answer that was kept.
func (r *request) opened(p Purchase) (v rest.SkillAnswer, err error) {
	raw, err := r.c.Vault.Open(p.place(), p.Answer)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}

// settled lets the answer out: the money moved.
func (r *request) settled(
	ctx context.Context, p Purchase, v rest.SkillAnswer, asked x402.Request, receipt x402.Receipt,
) (command.Answer, error) {
	_, offer, err := asked.Parse()
	if err != nil {
		return command.Answer{}, err
	}
	receipt.Extensions, receipt.Extra = nil, nil // of any size
	text, err := json.Marshal(receipt)
	if err != nil {
		return command.Answer{}, err
	}
	p.State, p.Receipt, p.UpdatedAt = Settled, string(text), r.c.Clock.Now()
	r.pay(&v, receipt, offer)
	answer, err := r.answer(ctx, v, func(ctx context.Context, tx Tx) error {
		return tx.MoveSkillPurchase(ctx, p, Called)
	}, nil)
	if errors.Is(err, record.ErrStale) { // another request has settled the same meanwhile
		err = errBusy.After(time.Second)
	}
	return answer, err
}

// pay says in an answer and its headers what was paid.
func (r *request) pay(v *rest.SkillAnswer, receipt x402.Receipt, offer x402.Offer) {
	if receipt.Payer == "" {
		receipt.Payer = r.payment.Payer()
	}
	shop.SetReceipt(r.at.Answer, r.payment.Dialect, receipt)
	n, _ := x402.ReadNetwork(offer.Dialect, offer.Network)
	v.Payment = &rest.SkillPayment{
		Transaction: receipt.Transaction, Network: x402.NetworkID(n), Payer: receipt.Payer, PayTo: offer.PayTo,
		Amount: offer.Amount, Asset: offer.Asset,
	}
}

// repeat gives the answer of a call that was paid for again.
func (r *request) repeat(ctx context.Context, p Purchase) (command.Answer, error) {
	var asked x402.Request
	var receipt x402.Receipt
	err := errors.Join(json.Unmarshal([]byte(p.Asked), &asked), json.Unmarshal([]byte(p.Receipt), &receipt))
	if err != nil {
		return command.Answer{}, err
	}
	_, offer, err := asked.Parse()
	if err != nil {
		return command.Answer{}, err
	}
	v, err := r.opened(p)
	if err != nil {
		return command.Answer{}, err
	}
	r.pay(&v, receipt, offer)
	return r.answer(ctx, v, nil, map[string]string{"again": "true"})
}

// unsold lets a payment go for which nothing was sold. An answer of 400 and more goes out, unpaid.
func (r *request) unsold(
	ctx context.Context, p Purchase, v rest.SkillAnswer, f *shop.Failure,
) (command.Answer, error) {
	drop := func(ctx context.Context, tx Tx) error {
		return record.UnlessStale(tx.DropSkillPurchase(ctx, p)) // stale: a later request has it
	}
	if f.Stage == shop.Unmade && f.Unwrap() == nil {
		return r.answer(ctx, v, drop, nil)
	}
	if err := r.do(ctx, drop); err != nil {
		r.c.Log.WarnContext(ctx,
			"letting a payment go failed; its claim ends by itself", "skill", p.SkillID, "error", err)
	}
	switch f.Stage {
	case shop.Unpaid:
		return command.Answer{}, f
	case shop.Unverified:
		return command.Answer{}, errFacilitator.Because(f)
	}
	return command.Answer{}, f.Unwrap()
}

// unsettled lets the next request go on at once, and says what the buyer has to do.
func (r *request) unsettled(ctx context.Context, p Purchase, f *shop.Failure) error {
	p.BusyUntil, p.UpdatedAt = r.c.Clock.Now(), r.c.Clock.Now()
	err := r.do(ctx, func(ctx context.Context, tx Tx) error { return tx.MoveSkillPurchase(ctx, p, Called) })
	if err != nil {
		r.c.Log.WarnContext(ctx, "ending a claim failed; it ends by itself", "skill", p.SkillID, "error", err)
	}
	switch f.Stage {
	case shop.Unsettled:
		return r.refuse(errRefused, *f)
	case shop.Pending:
		return r.refuse(errPending, *f)
	case shop.Unknown:
		return r.refuse(errUnknown.Because(f), *f)
	}
	return f.Unwrap()
}

// refuse is an answer with a receipt and no offers: a buyer who pays anew now may pay twice.
func (r *request) refuse(is *fault.Error, f shop.Failure) error {
	receipt := f.RefusedReceipt(r.payment.Network)
	shop.SetReceipt(r.at.Answer, r.payment.Dialect, receipt)
	return is.With("reason", receipt.ErrorReason)
}
