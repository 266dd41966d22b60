package agent_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/internal/test/signingtest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// These tests wait for other processes most of the time, not for a core.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(errtest.Run(m.Run, "kit/agent"))
}

var ctx = context.Background()

// Well-known public test addresses.
const (
	receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	ana      = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
)

// What the tests of kits share, under short names.
var (
	refuse     = signingtest.Refuse
	count      = signingtest.Count
	stampedBy  = signingtest.StampedBy
	wantQueued = signingtest.WantQueued
	vote       = signingtest.Vote
	confirmed  = signingtest.Confirmed
	wantError  = signingtest.WantError
	code       = signingtest.Code
	names      = signingtest.Names
	shellLines = signingtest.ShellLines
)
