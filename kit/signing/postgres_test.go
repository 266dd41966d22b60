package signing_test

import (
	"testing"

	"github.com/railkit/railkit/internal/apptest"
)

// The rules are the same on both engines, and storetest holds both to one
// contract; here the whole server runs on the other one.

func TestSigning_StoryOnPostgres(t *testing.T) {
	t.Parallel()
	story(t, apptest.New(t, apptest.WithPostgres(t)))
}

func TestSigning_S02_ConfirmSixtyFourTimesUnderOneKeyOnPostgres(t *testing.T) {
	t.Parallel()
	sixtyFourTimes(t, apptest.New(t, apptest.WithPostgres(t)))
}

func TestSigning_A04_SignedOutsideOnPostgres(t *testing.T) {
	t.Parallel()
	signedOutside(t, apptest.New(t, apptest.WithPostgres(t)))
}

func TestSigning_A04_SixteenAtOnceOnPostgres(t *testing.T) {
	t.Parallel()
	sixteenAtOnce(t, apptest.New(t, apptest.WithPostgres(t)))
}
