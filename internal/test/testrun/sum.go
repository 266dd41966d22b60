package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	slowest      = 10
	mostFailures = 20 // that a sum names; what they said stands above it
)

// sum prints the runs in their order. Its error says that one failed, so that `make test` does.
func sum(out io.Writer) error {
	records, err := readAll()
	if err != nil {
		return err
	}
	var failed []string
	var cpu float64
	var packages []Package
	for _, r := range records {
		fmt.Fprintln(out, line(r))
		cpu += r.CPU
		packages = append(packages, r.Packages...)
		if !r.Passed {
			failed = append(failed, r.Name)
		}
	}
	printSlowest(out, packages, cpu)
	printFailures(out, records)
	if len(failed) > 0 {
		return errors.New("failed: " + strings.Join(failed, ", "))
	}
	return nil
}

func readAll() (records []Record, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New(folder+" holds no run"))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var r Record
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b Record) int { return int(a.Number - b.Number) })
	return records, nil
}

func line(r Record) string {
	text := fmt.Sprintf("%-13s", r.Name)
	if len(r.Packages) > 0 {
		cached := 0
		for _, p := range r.Packages {
			if p.Cached {
				cached++
			}
		}
		text += fmt.Sprintf(" %d packages (%d cached), %d tests:", len(r.Packages), cached, r.Tests)
	}
	result := "ok"
	if !r.Passed {
		result = "FAILED"
	}
	text += fmt.Sprintf(" %s in %s, %s of CPU time", result, seconds(r.Wall), seconds(r.CPU))
	if r.Links > 0 {
		text += fmt.Sprintf(", %s of it to link %d programs", seconds(r.LinkCPU), r.Links)
	}
	return text
}

// printSlowest names a package once for each run that it was slow in: plain, and under the race detector.
func printSlowest(out io.Writer, packages []Package, cpu float64) {
	slices.SortStableFunc(packages, func(a, b Package) int { return int(1000 * (b.Seconds - a.Seconds)) })
	var slow []string
	for _, p := range packages[:min(slowest, len(packages))] {
		_, within, _ := strings.Cut(p.Name, "railkit/railkit/")
		slow = append(slow, fmt.Sprintf("%s %.0f s", within, p.Seconds))
	}
	fmt.Fprintf(out, "CPU time %s", seconds(cpu))
	if len(slow) > 0 {
		fmt.Fprintf(out, ". Slowest: %s", strings.Join(slow, ", "))
	}
	fmt.Fprintln(out)
}

func printFailures(out io.Writer, records []Record) {
	printed, more := 0, 0
	for _, r := range records {
		for _, f := range r.Failures {
			if printed == mostFailures {
				more++
				continue
			}
			printed++
			fmt.Fprintf(out, "FAIL %s: %s %s %s\n", r.Name, f.Package, f.Test, strings.Join(f.Seeds, " "))
		}
	}
	if more > 0 {
		fmt.Fprintf(out, "and %d more\n", more)
	}
}

func seconds(s float64) string {
	return (time.Duration(s) * time.Second).String()
}
