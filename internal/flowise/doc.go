// Package flowise simulates Flowise for tests: a Server that answers as the real one did when it was recorded.
// judge.Flowise starts the real one.
//
// The recorded answers are in testdata/answers.json. The judge's test sends the same requests to the real server and
// compares its answers with that file; another test sends them to the Server. So the Server answers requests for its
// own flows as Flowise does, with their names, ids and dates filled in. Where Flowise would need a language model, the
// Server has one answer, recorded with a stub as the model.
package flowise
