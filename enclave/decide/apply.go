package decide

import "fmt"

// Apply moves the state by one event that stands in the journal. An error means
// that the journal is not one that Decide wrote.
func (s *State) Apply(e Event, seq uint64) error {
	s.lastTimeMs, s.provenMs = max(s.lastTimeMs, e.TimeMs), max(s.provenMs, e.TimeMs-e.AheadMs)
	if e.Stamp != nil {
		c, ok := s.credentials[e.Stamp.CredentialID]
		if !ok {
			return fmt.Errorf("entry %d: stamped by an unknown credential", seq)
		}
		c.use(*e.Stamp)
	}
	if err := s.change(e, seq); err != nil {
		return fmt.Errorf("entry %d: %w", seq, err)
	}
	s.lend(e, seq)
	s.pay(e)
	if e.Fingerprint == "" {
		return nil
	}
	p, ok := digestOf(e.Fingerprint)
	if !ok {
		return fmt.Errorf("entry %d: its fingerprint is none", seq)
	}
	s.outcomeBook[p] = Past{Seq: seq, Cancelled: e.Kind == EventCancelled, Held: e.Kind.Holds()}
	if org := s.organizations[e.OrganizationID]; org != nil && e.Kind != EventHeld {
		delete(org.held, e.Fingerprint)
	}
	return nil
}

// change does what the kind of event says.
func (s *State) change(e Event, seq uint64) error {
	apply, known := changes[e.Kind]
	if !known {
		return fmt.Errorf("unknown kind of event %q", e.Kind)
	}
	return apply(s, e, seq)
}

// changes is what each kind of event does to the state.
var changes = map[EventKind]func(s *State, e Event, seq uint64) error{
	EventGenesis:     nothing,
	EventTime:        nothing,
	EventEndAccepted: nothing,
	EventDenied:      nothing,
	EventAmended:     applyAmended,
	EventCancelled:   applyCancelled,

	EventOrganization: func(s *State, e Event, _ uint64) error { return s.found(*e.Created) },
	EventWallet:       of(applyWallet),
	EventAccounts:     of(applyAccounts),
	EventTransaction:  applyTransaction,
	EventMessage:      applyMessage,

	EventAgent:        of(applyAgent),
	EventAgentDeleted: of(applyAgentDeleted),
	EventKillSwitch:   of(applyKillSwitch),
	EventHeard:        func(s *State, e Event, _ uint64) error { return s.hear(e) },
	EventMark:         func(s *State, e Event, _ uint64) error { return s.noteMark(e) },

	EventPasskey:           of(applyPasskey),
	EventPasskeyDeleted:    of(applyPasskeyDeleted),
	EventRecovery:          of(applyRecovery),
	EventRecovered:         of(applyRecovered),
	EventRecoveryCancelled: of(applyRecoveryCancelled),
	EventRecoveryRule:      of(applyRecoveryRule),

	EventPolicy:        of(applyPolicy),
	EventPolicyDeleted: of(applyPolicyDeleted),
	EventConfig:        of(applyConfig),
	EventHeld:          of(applyHold),
	EventVote:          of(applyVote),

	EventPayee:        of(applyPayee),
	EventPayeeRemoved: of(applyPayeeRemoved),

	EventPrices:         func(s *State, e Event, _ uint64) error { return s.take(e) },
	EventPricesAccepted: func(s *State, e Event, _ uint64) error { return s.accept(e) },
	EventOverride:       of(applyOverride),
}

func nothing(*State, Event, uint64) error { return nil }

// of is a change of one organization.
func of(apply func(*State, *organization, Event) error) func(*State, Event, uint64) error {
	return func(s *State, e Event, _ uint64) error {
		org, known := s.organizations[e.OrganizationID]
		if !known {
			return errNoOrganization
		}
		return apply(s, org, e)
	}
}

func applyTransaction(s *State, e Event, _ uint64) error {
	o := e.Transaction
	s.spent.add(e)
	if o.Message != "" {
		return s.noteMessage(nonceKey{o.Chain, o.SignWith}, *o, e.Fingerprint)
	}
	s.sign(nonceKey{o.Chain, o.SignWith}, o.Nonce, e.Fingerprint)
	return nil
}

func applyMessage(s *State, e Event, _ uint64) error {
	s.spent.add(e)
	return nil
}
