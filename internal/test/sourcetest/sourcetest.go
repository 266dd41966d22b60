// Package sourcetest lists the files of the project, for tests that read all of them.
package sourcetest

import (
	"io/fs"
	"path/filepath"
	"slices"
)

// others are folders with what the project did not write. In bin, npm replaces whole folders while tests run.
var others = []string{".git", "bin", "node_modules", "railkit-data"}

// Files are the paths of all files below the project's root, which each begins with.
func Files(root string) (all []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			all = append(all, path)
		case slices.Contains(others, d.Name()):
			return fs.SkipDir
		}
		return nil
	})
	return all, err
}
