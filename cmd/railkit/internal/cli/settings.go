package cli

import (
	"flag"
	"os"

	"github.com/railkit/railkit/internal/config"
)

// Settings parses a command's flags, with those of the named settings or of all,
// and puts them together with the environment's.
func Settings(f *flag.FlagSet, args []string, only ...string) (config.Loaded, error) {
	s := config.Register(f, only...)
	if err := Parse(f, args); err != nil {
		return config.Loaded{}, err
	}
	l, err := s.Load(os.Environ())
	if err != nil {
		return l, UsageError(err)
	}
	return l, nil
}

// DatabaseSettings are the settings that name the database, and more. It refuses
// settings that name none.
func DatabaseSettings(f *flag.FlagSet, args []string, more ...string) (config.Loaded, error) {
	l, err := Settings(f, args, append([]string{"data", "database-url"}, more...)...)
	if err == nil {
		err = l.CheckDatabase()
	}
	return l, err
}
