package signing_test

import (
	"github.com/railkit/railkit/internal/test/signingtest"
)

const approvalsPath = signingtest.ApprovalsPath

// What the tests of kits share, under short names.
var (
	refuse     = signingtest.Refuse
	count      = signingtest.Count
	stampOf    = signingtest.StampOf
	stampedBy  = signingtest.StampedBy
	wantQueued = signingtest.WantQueued
	vote       = signingtest.Vote
	confirmed  = signingtest.Confirmed
	wantError  = signingtest.WantError
	shellLines = signingtest.ShellLines
)
