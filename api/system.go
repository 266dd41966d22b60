package api

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
)

// HealthView is the data of health.
type HealthView struct {
	Status      string `json:"status" enum:"ok"`
	Service     string `json:"service"`
	Version     string `json:"version"`
	Environment string `json:"environment" enum:"sandbox,production"`
	Timestamp   string `json:"timestamp" format:"date-time"`
}

func registerSystem(s *edge.Server, d Deps) {
	edge.Public(s, edge.Op{
		ID: "getHealth", Path: "/v1/", Tag: "System", Summary: "Health of the service",
	}, func(context.Context, *struct{}) (HealthView, error) {
		return HealthView{Status: "ok", Service: "railkit", Version: d.Release, Environment: d.Environment, Timestamp: clock.ISO(s.Clock.Now())}, nil
	})
}
