package child

import (
	"context"
	"log/slog"
	"strings"
)

// LogStart writes the one line of a process that answers from now on: what it is,
// and what it works with.
func LogStart(log *slog.Logger, version string, facts ...any) {
	log.Info("started", append([]any{"version", version}, facts...)...)
}

// LogEnd writes the one line of its end, and gives err on: main ends with exit
// code 1 where there is one, and with 0 where a signal or its parent ended it.
func LogEnd(ctx context.Context, log *slog.Logger, err error) error {
	if err != nil {
		log.Error("ended", "why", strings.ReplaceAll(err.Error(), "\n", "; "), "code", 1)
		return err
	}
	log.Info("ended", "why", why(ctx), "code", 0)
	return nil
}

// why is what ended a context: the signal's name, or that the parent is gone.
func why(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil {
		return cause.Error()
	}
	return "it was done"
}
