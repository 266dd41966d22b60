package webhook

import "time"

// Measure is what monitoring is told of the endpoints of all workspaces that have a status. Of deliveries it counts
// those of active endpoints alone.
type Measure struct {
	Status    Status
	Failing   bool // their last answers were bad
	Endpoints int64
	Waiting   int64     // deliveries that are pending or waiting
	Due       time.Time // since when the first of them should have been sent, or may be sent; zero: there is nothing
}

// told tells monitoring what came of deliveries, once that is written down.
func (s *Service) told(states ...State) {
	if s.c.Done == nil {
		return
	}
	for _, state := range states {
		s.c.Done(state)
	}
}
