package decide

import "time"

// A write of an agent is accepted once. While it runs, the enclave remembers its
// signatures; what it may have accepted before a restart, it knows by marks.
const (
	markAhead = 5 // seconds: how long one mark lasts
	atPresent = 5 // seconds ahead of the clock that are nobody's fault
)

// Mark is the event that has to stand in the journal before a write with this
// timestamp (in seconds) is accepted: a restarted enclave refuses everything up
// to it. There is none to be made where an earlier one reaches as far. The clock
// itself would not do: it may have gone back by the time of the restart. A
// timestamp ahead of the clock marks its agent only, so that after a restart
// nobody waits for a clock that is not his.
func (b *agentBook) Mark(agentID string, at int64, now time.Time) (e Event, wanted bool) {
	a := b.agents[agentID]
	if a == nil || at <= b.acceptedUpTo || at <= a.acceptedUpTo {
		return Event{}, false
	}
	e = Event{Kind: EventMark, TimeMs: now.UnixMilli(), Mark: at + markAhead}
	if at > now.Unix()+atPresent {
		e.AgentID = agentID
	}
	return e, true
}

// Marks are how far each agent's timestamps may have been accepted: all of them
// up to the first, and those that are ahead of it.
func (b *agentBook) Marks() (all int64, ahead map[string]int64) {
	ahead = map[string]int64{}
	for id, a := range b.agents {
		if a.acceptedUpTo > b.acceptedUpTo {
			ahead[id] = a.acceptedUpTo
		}
	}
	return b.acceptedUpTo, ahead
}

func (b *agentBook) noteMark(e Event) error {
	if e.AgentID == "" {
		b.acceptedUpTo = max(b.acceptedUpTo, e.Mark)
		return nil
	}
	a, ok := b.agents[e.AgentID]
	if !ok {
		return errNoAgent
	}
	a.acceptedUpTo = max(a.acceptedUpTo, e.Mark)
	return nil
}
