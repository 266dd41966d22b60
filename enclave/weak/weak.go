// Package weak names the checks that the takeover suite (internal/takeover)
// switches off, one at a time, to see that it would notice. In every build but
// the suite's all of them are the constant false: no trace of them is compiled.
// Under the build tag mutations the process reads, as it starts, which one it
// lacks.
package weak

// Env names the check that a process of the suite lacks.
const Env = "RAILKIT_TEST_WEAK"
