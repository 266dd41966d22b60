package config

import (
	"fmt"
	"slices"
	"strings"
)

// CheckNames refuses a variable of ours that nothing reads: it is a setting that
// somebody believes to be in force.
func CheckNames(environ []string) error {
	known := names()
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(line, "=")
		if value != "" && strings.HasPrefix(name, "RAILKIT_") && !slices.Contains(known, name) && !other(name) {
			return fmt.Errorf("%s is no setting: is it %s that is meant?", name, nearest(name, known))
		}
	}
	return nil
}

// names are the variables of all settings.
func names() []string {
	var all []string
	for _, s := range Settings() {
		all = append(all, s.Env())
		if s.Secret {
			all = append(all, s.FileEnv())
		}
	}
	return all
}

func other(name string) bool {
	return slices.ContainsFunc(others, func(o string) bool {
		start, any := strings.CutSuffix(o, "*")
		return name == o || any && strings.HasPrefix(name, start)
	})
}

// nearest counts what is left out at an end, or added there, as one mistake.
func nearest(name string, known []string) string {
	mistakes := func(to string) int {
		if strings.HasPrefix(name, to+"_") || strings.HasPrefix(to, name) {
			return 1
		}
		return distance(name, to)
	}
	return slices.MinFunc(known, func(a, b string) int { return mistakes(a) - mistakes(b) })
}

// distance is how many letters to write, drop or change make one text of another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
