// Package gate stands between the network and the MCP server. It decides who
// is let in, under which name, and how much each caller may ask for at a time;
// it counts what passes and writes the audit log. It knows nothing of MCP but
// the names that the server tells it.
//
// A caller's name is its principal: the name of its token, the subject of a token
// that an issuer signed, or its uid on a unix socket. Sessions, documents and journals belong to principals.
package gate
