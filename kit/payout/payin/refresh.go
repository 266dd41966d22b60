package payin

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/record"
)

// The partner is asked at each of its notices what happened at the account, and all of it is asked again for a while:
// its clock is not ours, it may tell late, and it may change what it told.
//
// Say that a shop has 5,000 deposits a day, each with three activities and four notices: 15,000 activities of a day,
// read at each of 20,000 notices, were 300 million. So a list of more than many activities is read in full once in
// fullEvery (144 times a day: 2 million), and in between only the last lately of it (100 activities: 2 million). A bank
// transfer whose order says already what the partner tells (see news) costs a row of one query, no transaction.
//
// Nothing of this is kept but the instant up to which everything was taken in, which is written last. A server that is
// killed anywhere before reads the same part again, and in full, because it begins with an empty pace.
const (
	overlap   = 24 * time.Hour   // is read again by a full read
	lately    = 10 * time.Minute // is read again by every other one
	fullEvery = 10 * time.Minute
	many      = 200
)

// pace has, of the accounts with long lists, when this server last read and took in all of one.
type pace struct {
	mu   sync.Mutex
	full map[string]time.Time
}

// due tells whether the whole list of an account is to be read.
func (p *pace) due(partnerID string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, long := p.full[partnerID]
	return !long || now.Before(last) || now.Sub(last) >= fullEvery
}

// done notes that so many activities were read in full. Of zero, or few, the next read is full as well.
func (p *pace) done(partnerID string, now time.Time, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.full, partnerID)
	if n > many {
		if p.full == nil {
			p.full = map[string]time.Time{}
		}
		p.full[partnerID] = now
	}
}

// Noticed asks the partner what happened at an account that a notice names.
func (s *Service) Noticed(ctx context.Context, partnerAccountID string) error {
	a, err := s.byPartner(ctx, partnerAccountID)
	if errors.Is(err, fault.ErrNotFound) {
		return notice.ErrUnknownObject
	}
	if err != nil {
		return err
	}
	return s.refresh(ctx, a)
}

// refresh asks the partner what happened at an account, and writes it down. Where a part of the list does not explain
// itself (coins of a bank transfer that nobody has heard of) all of it is read. Where all of it is too long to be read,
// a part has to do: what such a partner tells more than lately late is seen by admin reconcile alone.
func (s *Service) refresh(ctx context.Context, a source) error {
	_, id := a.partner()
	asked := s.c.Clock.Now()
	if !s.pace.due(id, asked) {
		explained, err := s.read(ctx, a, asked, lately, false)
		if err != nil || explained {
			return err
		}
	}
	_, err := s.read(ctx, a, asked, overlap, true)
	if errors.Is(err, errNotAll) {
		s.c.Log.WarnContext(ctx,
			"the partner's list of a day is too long: less of it is read again", "workspace", a.workspace(),
			"account", id)
		s.pace.done(id, asked, many+1)
		_, err = s.read(ctx, a, asked, lately, true)
	}
	return err
}

// errNotAll says that the list that a full read asked for is too long.
var errNotAll = errors.New("payin: the list is too long for a full read")

// read takes in what happened since an instant before the one up to which everything was taken in. A bank transfer that
// cannot be written does not stop the others; the list is then read again, in full, from the same instant. So is one of
// which only the newest part was told. What does not explain itself is noted as taken in only by the last read.
func (s *Service) read(
	ctx context.Context, a source, asked time.Time, again time.Duration, last bool,
) (explained bool, _ error) {
	customerID, id := a.partner()
	all, err := s.c.Partner.Activities(ctx, customerID, id, a.since(again))
	long := errors.Is(err, fiat.ErrLong)
	switch {
	case long && again == overlap:
		return false, errNotAll
	case err != nil && !long: // others come before this account is asked about again
		return false, errors.Join(fiat.Fault(err), s.polled(ctx, a, asked, nil))
	}
	slices.SortStableFunc(all, func(x, y fiat.Activity) int { return x.At.Compare(y.At) })
	explained, failed := s.takeIn(ctx, a, all)
	if failed != nil || long {
		if failed != nil {
			s.pace.done(id, asked, 0)
		}
		return explained, errors.Join(failed, fiat.Fault(err), s.polled(ctx, a, asked, nil))
	}
	if !last && !explained {
		return false, nil
	}
	if again == overlap {
		s.pace.done(id, asked, len(all))
	}
	return true, s.polled(ctx, a, asked, all)
}

// takeIn writes what is new of a list. explained tells whether each bank transfer has an order, or begins in the list.
func (s *Service) takeIn(ctx context.Context, a source, all []fiat.Activity) (explained bool, failed error) {
	if err := s.listEvents(ctx, a, all); err != nil {
		return false, err
	}
	names, transfers := byDeposit(all)
	names, explained, err := s.news(ctx, a, names, transfers)
	if err != nil {
		return false, err
	}
	for _, depositID := range names {
		failed = errors.Join(failed, s.take(ctx, a, depositID, transfers[depositID]))
	}
	failed = errors.Join(failed, s.leftOut(ctx, a, all))
	if a.deposit != nil && slices.ContainsFunc(all, switches) {
		failed = errors.Join(failed, s.c.Deposits.Refresh(ctx, a.deposit.PartnerID))
	}
	return explained, failed
}

// news keeps the bank transfers of which something is to be written: it asks of all their orders at once what take
// asks of each, so that what it leaves out would have changed nothing. An order that another server moves meanwhile is
// looked at by the next read, like one that is moved right after.
func (s *Service) news(
	ctx context.Context, a source, names []string, transfers map[string][]fiat.Activity,
) (some []string, explained bool, _ error) {
	_, partnerID := a.partner()
	claims := make([]string, len(names))
	for i, depositID := range names {
		claims[i] = order.PayInID(partnerID, depositID)
	}
	found, err := s.c.Store.OrdersWithClaims(ctx, a.workspace(), order.ClaimPayIn, claims)
	if err != nil {
		return nil, false, err
	}
	known := map[string]order.Order{}
	for _, o := range found {
		if o.PayIn != nil {
			known[o.PayIn.DepositID] = o
		}
	}
	explained = true
	for _, depositID := range names {
		o, has := known[depositID]
		if has && len(o.PayInNews(a.base(), transfers[depositID], s.c.Clock.Now())) == 0 {
			continue
		}
		some = append(some, depositID)
		if !has && !slices.ContainsFunc(transfers[depositID], begins) {
			explained = false
			s.c.Log.WarnContext(ctx,
				"the partner tells of a bank transfer, and not that it came", "workspace", a.workspace(),
				"account", partnerID, "deposit", depositID)
		}
	}
	return some, explained, nil
}

// begins tells whether an activity is the first one of a bank transfer.
func begins(said fiat.Activity) bool {
	return said.Type == fiat.FundsReceived || said.Type == fiat.FundsScheduled
}

// switches tells whether an activity is about the account itself.
func switches(said fiat.Activity) bool {
	return said.Type == fiat.AccountActivated || said.Type == fiat.AccountDeactivated ||
		said.Type == fiat.AccountUpdated
}

// byDeposit sorts activities by the bank transfers that they are about. Microdeposits of a bank that checks the account
// are none. What makes no sense moves no order: see leftOut.
func byDeposit(all []fiat.Activity) (names []string, transfers map[string][]fiat.Activity) {
	transfers = map[string][]fiat.Activity{}
	for _, said := range all {
		if said.DepositID == "" || said.Type == fiat.Microdeposit || said.Type == fiat.Unreadable {
			continue
		}
		if transfers[said.DepositID] == nil {
			names = append(names, said.DepositID)
		}
		transfers[said.DepositID] = append(transfers[said.DepositID], said)
	}
	return names, transfers
}

// leftOut reports what makes no sense of a list. The order of its bank transfer says so where it waits for the partner,
// and admin reconcile lists each.
func (s *Service) leftOut(ctx context.Context, a source, all []fiat.Activity) (failed error) {
	_, partnerID := a.partner()
	for _, said := range all {
		if said.Type != fiat.Unreadable {
			continue
		}
		s.c.Log.ErrorContext(ctx,
			"an activity that the partner tells makes no sense, and is left out", "workspace", a.workspace(),
			"account", partnerID, "activity", said.ID, "deposit", said.DepositID, "why", said.Reason)
		if said.DepositID != "" {
			failed = errors.Join(failed, record.Retry(func() error { return s.doubt(ctx, a, said.DepositID) }))
		}
	}
	return failed
}

// doubt has the order of a bank transfer say that the partner tells something that does not fit.
func (s *Service) doubt(ctx context.Context, a source, depositID string) error {
	_, partnerID := a.partner()
	workspaceID, id, err := s.c.Store.OrderOf(ctx, order.ClaimPayIn, order.PayInID(partnerID, depositID))
	if errors.Is(err, fault.ErrNotFound) || err == nil && workspaceID != a.workspace() {
		return nil
	}
	if err != nil {
		return err
	}
	o, err := s.c.Store.Order(ctx, workspaceID, id)
	if err != nil {
		return err
	}
	waits := o.PayIn.Status == order.PayInReceived || o.PayIn.Status == order.PayInSubmitted && o.PayIn.Transfer == nil
	if o.Delay != "" || !waits {
		return nil
	}
	_, err = s.write(ctx, o, order.Event{Kind: order.CoinsDelayed, By: order.System, Reason: order.DelayMismatch})
	if errors.Is(err, order.ErrIllegal) {
		return nil
	}
	return err
}

// eventsAtOnce is how many events one transaction adds to the list of a deposit account.
const eventsAtOnce = 200

// listEvents keeps the activities of a deposit account for the API's list of its events. The orders do not depend on
// that list: what a server that is killed has listed is taken in all the same by the next read.
func (s *Service) listEvents(ctx context.Context, a source, all []fiat.Activity) error {
	if a.deposit == nil || len(all) == 0 {
		return nil
	}
	ids := make([]string, len(all))
	for i, said := range all {
		ids[i] = said.ID
	}
	listed, err := s.c.Store.KnownDepositEvents(ctx, a.workspace(), a.deposit.ID, ids)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range listed {
		known[id] = true
	}
	fresh := slices.DeleteFunc(slices.Clone(all), func(said fiat.Activity) bool {
		return said.ID == "" || known[said.ID]
	})
	for some := range slices.Chunk(fresh, eventsAtOnce) {
		if err := s.insertEvents(ctx, *a.deposit, some); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) insertEvents(ctx context.Context, a depositaccount.Account, some []fiat.Activity) error {
	return record.Do(ctx, s.c.Store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
		for _, said := range some {
			body, err := json.Marshal(said)
			if err != nil {
				return err
			}
			e := depositaccount.EventOf(a, said, string(body), s.c.Clock.Now())
			if _, err := tx.InsertDepositEvent(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// polled notes how far the partner's list was taken in. A server that dies before reads the same part again.
func (s *Service) polled(ctx context.Context, a source, asked time.Time, all []fiat.Activity) error {
	until := time.Time{}
	if len(all) > 0 {
		until = all[len(all)-1].At
	}
	if until.After(asked) { // the partner's clock is ahead
		until = asked
	}
	return record.Do(ctx, s.c.Store, a.workspace(), func(ctx context.Context, tx Tx) error {
		if a.deposit != nil {
			return tx.PolledDepositAccount(ctx, a.workspace(), a.deposit.ID, asked, until)
		}
		return tx.PolledVirtualAccount(ctx, a.workspace(), a.virtual.ID, asked, until)
	})
}
