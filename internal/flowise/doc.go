// Package flowise is Flowise for tests: a Server that answers every day what the real one
// answered when it was recorded. judge.Flowise starts the real one.
//
// The recorded answers are testdata/answers.json. The judge's test asks the real server
// the same questions and holds its answers against that file; another test asks the
// Server. So what the Server says of flows of its own is what Flowise says of them,
// with their names, ids and dates filled in. Where Flowise would need a language model,
// the Server has one answer, which was made with a model that is a stub.
package flowise
