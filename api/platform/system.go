package platform

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/rest"
)

// Readiness is the data of readyz where nothing is missing.
type Readiness struct {
	Status string `json:"status"`
}

func registerSystem(s *edge.Server, d Deps) {
	health := func(missing []string) rest.Health {
		v := rest.Health{
			Status: "ok", Service: "railkit", Version: d.Release, Environment: d.Environment,
			Timestamp: clock.ISO(s.Clock.Now()), Missing: missing,
		}
		if len(missing) > 0 {
			v.Status = "degraded"
		}
		return v
	}
	edge.Public(s, edge.Op{
		ID: "getHealth", Path: "/v1/", Tag: "System", Summary: "Say whether the service works",
		Description: "200 also where a part is missing, which `status` and `missing` tell. For a balancer `/readyz` answers 503 then, and `/healthz` " +
			"200 as long as the process answers; neither asks for a key nor has a limit.",
	}, func(ctx context.Context, _ *struct{}) (rest.Health, error) {
		missing, err := d.Ready.Missing(ctx)
		return health(missing), err
	})
	s.Probe("/healthz", func(context.Context) (any, error) { return health(nil), nil })
	s.Probe("/readyz", func(ctx context.Context) (any, error) { return Readiness{"ready"}, d.Ready.Err(ctx) })
}
