package x402pay

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402"
)

// Within one call one payment is sent so often, with longer and longer pauses. A caller's own patience is 30 seconds in
// most programs: what has no answer by then goes on by paymentId.
const (
	mostSends = 3
	sendAgain = time.Second // after the first; twice that after the second
	oneSend   = 9 * time.Second
	allSends  = 20 * time.Second
)

// goOn goes on with a payment: one that an approval has let through, or one whose end is not known.
func (s *Service) goOn(
	ctx context.Context, cmd *command.Command, a wire.AgentReply, id string,
) (command.Answer, error) {
	p, err := s.Find(ctx, a.WorkspaceID, a.AgentID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if p.State == Prepared {
		if p, err = s.settlePrepared(ctx, p); err != nil {
			return command.Answer{}, err
		}
		if p.State == Prepared {
			return command.Answer{}, ErrWaits
		}
	}
	if p.State == Signed && (p.sponsored() || s.c.Clock.Now().Unix() >= p.ValidBefore) {
		if p, err = s.look(ctx, p); err != nil {
			return command.Answer{}, err
		}
	}
	if p.State == Unused || p.State == Void {
		return command.Answer{}, ErrOver.With("state", string(p.State))
	}
	return s.finish(ctx, cmd, p)
}

// finish pays the seller with what is signed, asks the chain once, and answers.
func (s *Service) finish(ctx context.Context, cmd *command.Command, p Payment) (command.Answer, error) {
	view := rest.X402Answer{TransactionID: p.ID}
	heard, err := s.hand(ctx, &p, &view)
	if err != nil {
		return command.Answer{}, err
	}
	told, err := s.ask(ctx, p)
	if err != nil {
		s.c.Log.WarnContext(ctx,
			"asking the chain for a payment failed; the job goes on", "payment", p.ID, "error", err)
		told = p
	}
	if heard {
		// One transaction has both words. A crash before it forgets the seller's, as a crash before he answered does:
		// the next try sends him the same payment, and never another one.
		p, err = s.noted(context.WithoutCancel(ctx), p, told)
	} else {
		p, err = s.ended(ctx, p, told)
	}
	if err != nil {
		return command.Answer{}, err
	}
	shown := p.View()
	view.Payment = &shown
	return s.c.Store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Message: words(p), Data: view, Audit: command.Audit{
			Action: "agent.x402", Resource: p.ID, Detail: detail(p),
		}}, nil
	})
}

// hand gives the signature to the seller, and has then heard from him, or to the agent, where that asks the seller by
// itself. What was delivered is not asked for again: the answer is not kept, and the seller need not give it twice.
func (s *Service) hand(ctx context.Context, p *Payment, view *rest.X402Answer) (heard bool, err error) {
	if p.Delivery == Delivered {
		return false, nil
	}
	n, ok := s.c.Nodes.BySlug(p.Network)
	if !ok {
		return false, errRow
	}
	name, value, err := p.header(n)
	if err != nil {
		return false, err
	}
	if p.Request == "" {
		view.PaymentHeaderName, view.PaymentHeader = name, value
		return false, nil
	}
	return true, s.deliver(ctx, p, http.Header{name: {value}}, view)
}

// words say how a payment stands.
func words(p Payment) string {
	switch {
	case p.Request == "":
		return "Payment signed"
	case p.State == Settled && p.Delivery == Delivered:
		return "Paid and delivered"
	case p.State == Settled && p.Delivery == Pending:
		return "Paid; the seller has not answered"
	case p.State == Settled:
		return "Paid and not delivered"
	case p.Delivery == Delivered:
		return "Delivered; the chain has not told yet that the money moved"
	}
	if p.sponsored() {
		return "Not delivered; the seller can take the money in a block up to lastHeight"
	}
	return "Not delivered; the seller can take the money until validBefore"
}

func detail(p Payment) map[string]string {
	d := map[string]string{
		"resource": p.Resource, "payTo": p.PayTo, "network": p.Network, "state": string(p.State),
		"amount": chain.FormatUnits(big.NewInt(p.Micro), 6), "delivery": string(p.Delivery),
	}
	if p.State == Settled {
		d["amount"], d["tx"] = chain.FormatUnits(big.NewInt(p.Moved), 6), p.Tx
	}
	return d
}

// deliver asks the seller for the resource with the payment, and again with the very same payment where nobody knows
// what came of it: no answer, an error of the seller's server, or a settlement that is under way. A redirect is an
// answer as any other: the payment is not sent along.
func (s *Service) deliver(ctx context.Context, p *Payment, paying http.Header, view *rest.X402Answer) error {
	q, err := s.askedOf(*p)
	if err != nil {
		return err
	}
	if p.Delivery != Unseen { // an older server did not write down what it saw
		p.Delivery = Pending
	}
	sending, cancel := context.WithTimeout(ctx, allSends)
	defer cancel()
	for sent := 1; ; sent++ {
		res, err := s.send(sending, q.request(paying))
		again := note(p, res, err)
		if err == nil {
			show(view, res)
		}
		if !again || sent == mostSends || s.c.Clock.Now().Unix() >= p.ValidBefore ||
			!sleep(sending, time.Duration(sent)*sendAgain) {
			return nil
		}
	}
}

// send sends a payment once, on a connection of its own: over one that was kept, a program of the seller's may take two
// requests for one.
func (s *Service) send(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, oneSend)
	defer cancel()
	return s.c.Client.Do(ctx, r)
}

// noted writes what the seller answered and, where the chain has told of the payment's end, that end in the same
// transaction. It writes nothing else: the job that asks the chain may be writing as well. What another request has
// noted as delivered stays so, and so does an end. Whichever of the two is written second tells the record of a payment
// that was paid and not delivered.
func (s *Service) noted(ctx context.Context, heard, told Payment) (row Payment, err error) {
	err = record.Retry(func() error {
		is, err := s.c.Store.X402Payment(ctx, heard.WorkspaceID, heard.ID)
		row = is
		notes, ends := is.Delivery != Delivered, is.State == Signed && told.State != Signed
		if err != nil || !notes && !ends {
			return err
		}
		if heard.Delivery == Pending { // this time nobody answered: what is known stays
			heard.Delivery = is.Delivery
		}
		heard.UpdatedAt = s.c.Clock.Now()
		told.UpdatedAt = heard.UpdatedAt
		return s.c.Store.Work(ctx, heard.WorkspaceID, func(ctx context.Context, tx Tx) (a command.Audit, err error) {
			if notes {
				row, err = tx.NoteX402Answer(ctx, heard, is.Delivery)
				if err == nil && row.lost() && is.Delivery != Undelivered {
					a = command.Audit{Action: "agent.x402.undelivered", Resource: row.ID, Detail: detail(row)}
				}
			}
			if err == nil && ends {
				row, a, err = end(ctx, tx, told)
			}
			return a, err
		})
	})
	return row, err
}

func (s *Service) askedOf(p Payment) (q asked, err error) {
	raw, err := s.c.Vault.Open(p.place(), p.Request)
	if err == nil {
		err = json.Unmarshal(raw, &q)
	}
	return q, err
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// note writes down what a seller answered to a payment, and tells whether the same payment is to be sent again. What
// the seller says of the money is a hint, and no more.
func note(p *Payment, res fetch.Response, err error) (again bool) {
	if err != nil {
		p.Reason = "the seller does not answer"
		if f, ok := fault.As(err); ok {
			p.Reason = f.Message
		}
		return true
	}
	p.HTTPStatus, p.Delivery, p.Reason = res.Status, Undelivered, ""
	if res.Status >= 200 && res.Status < 300 {
		p.Delivery = Delivered
	}
	receipt, found, _ := x402.ReadReceipt(res.Header)
	switch {
	case p.Delivery == Delivered && found && !receipt.Success:
		p.Reason = "the seller delivered, and says that the payment failed"
	case p.Delivery == Delivered:
	case found && receipt.Pending():
		p.Delivery, p.Reason = Pending, "the seller says that the settlement is under way"
		return true
	case found && receipt.ErrorReason == x402.ReasonDuplicateSettlement, busy(res):
		p.Delivery, p.Reason = Pending, "the seller is still at work with what was sent before, or has sold for it"
		return true
	case res.Status >= http.StatusInternalServerError:
		p.Reason = "the seller's server failed"
		return true
	case found && receipt.Success:
		p.Reason = "the seller says that it was paid, and did not deliver"
	default:
		p.Reason = "the seller refuses the payment"
	}
	return false
}

// busy says that a platform like ours is at work with the payment, as an earlier try of this one has it.
func busy(res fetch.Response) bool {
	return res.Status == http.StatusConflict && bytes.Contains(res.Body, []byte(`"x402_payment_busy"`))
}

// hidden are headers of a seller's answer that are of its connection, or for a browser.
var hidden = []string{
	"Connection", "Keep-Alive", "Transfer-Encoding", "Trailer", "Upgrade", "Content-Length", "Alt-Svc",
	"Strict-Transport-Security",
}

// show has the view tell a seller's answer.
func show(view *rest.X402Answer, res fetch.Response) {
	view.Status, view.Headers, view.Body, view.Encoding = res.Status, map[string]string{}, string(res.Body), ""
	for name, values := range res.Header {
		view.Headers[name] = strings.Join(values, ", ")
	}
	for _, name := range hidden {
		delete(view.Headers, name)
	}
	coding := view.Headers["Content-Encoding"] // of a body that could not be decoded
	if coding != "" && coding != "identity" || !utf8.Valid(res.Body) {
		view.Body, view.Encoding = base64.StdEncoding.EncodeToString(res.Body), "base64"
	}
}
