package agent

import (
	"context"

	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// agentsSwitch is the row of the operator's kill switch.
const agentsSwitch = "agents_kill_switch"

// KillSwitch reads the operator's kill switch; without a row it was never used.
func (r reads) KillSwitch(ctx context.Context) (killswitch.State, error) {
	row, err := r.db.Read.OperatorSwitch(ctx, agentsSwitch)
	if sqldb.None(err) {
		return killswitch.State{}, nil
	}
	return killswitch.State{On: row.IsOn != 0, Since: sqldb.Instant(row.ChangedAt)},
		sqldb.Reading("reading the kill switch", err)
}

func (t tx) SetKillSwitch(ctx context.Context, s killswitch.State) error {
	_, err := t.Q.SetOperatorSwitch(ctx, agentsSwitch, sqldb.Flag(s.On), sqldb.Micros(s.Since))
	return sqldb.Doing("setting the kill switch", err)
}
