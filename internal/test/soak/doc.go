// Package soak has both ramps run for long on one platform of real processes, while everything that it is made of dies,
// lies and loses messages, and compares all records of the money afterwards. It has tests only.
//
// What is done, when, and what breaks meanwhile is a plan that follows from a number alone: RAILKIT_SEED repeats one.
// How the processes run beside each other nobody repeats, so that the same plan may end otherwise another time.
//
// Read plan_test.go (what is done), use_test.go (doing it), disturb_test.go (what breaks), settle_test.go (the wait for
// the end, and what an operator does there), judge_test.go (the comparison).
package soak
