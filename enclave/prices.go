package enclave

import (
	"reflect"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// Prices takes a sheet of the price signer, and tells which prices count.
func (s *Service) Prices(q wire.PricesRequest) (wire.PricesReply, error) {
	if !q.Sheet.Verify(s.state.PriceKey) { // outside of the lock, as in read
		return wire.PricesReply{}, refusal.ErrSheet.Msg("it is not by the price key that the signer is sealed for")
	}
	sheet, err := decide.ReadSheet(q.Sheet.Payload)
	if err != nil {
		return wire.PricesReply{}, err
	}
	reply, p, err := s.takeSheet(sheet)
	if err != nil {
		return wire.PricesReply{}, s.refuse(err)
	}
	return reply, s.durable(p.Seq)
}

func (s *Service) takeSheet(sheet decide.SheetRead) (wire.PricesReply, journal.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	e, wanted, err := s.state.TakeSheet(sheet, now)
	if wanted {
		_, err = s.record(e)
	}
	reply := s.believed(now)
	broken := s.bear(now, func(last time.Time) bool {
		_, _, was := s.state.TakeSheet(sheet, last)
		return reflect.DeepEqual(err, was) && reflect.DeepEqual(reply, s.believed(last))
	})
	if broken != nil {
		err = broken
	}
	if err != nil {
		reply = wire.PricesReply{}
	}
	return reply, s.journal.Position(), err
}

// believed is what the state goes by at that time. The caller holds mu.
func (s *Service) believed(now time.Time) wire.PricesReply {
	return wire.PricesReply{Assets: s.state.Prices(now), DataFees: s.state.DataFees(now)}
}

// acceptPrices takes the newest signed prices as right, however far they moved:
// the operator said so.
func (s *Service) acceptPrices() error {
	p, err := s.recordAccepted()
	if err != nil {
		return err
	}
	return s.durable(p.Seq)
}

func (s *Service) recordAccepted() (journal.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, wanted := s.state.AcceptPrices(s.clock.Now())
	if !wanted {
		return s.journal.Position(), nil
	}
	return s.record(e)
}
