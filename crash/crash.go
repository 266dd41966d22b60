// Package crash names the places between two steps at which a process may die.
// In every build but the crash suite's, At holds no statement and is compiled to
// nothing; under the build tag crashpoints the process kills itself there, the
// way a power cut would: nothing is tidied up.
package crash

// Env names the control file of a process. It holds the armed point and how
// often that must be reached, "Submit.after-call 1", or nothing.
const Env = "RAILKIT_TEST_CRASH"
