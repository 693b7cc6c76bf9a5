// Package gate stands between the network and the MCP server. It decides who is admitted, under which name, and how
// much each caller may use at a time; it counts requests and writes the audit log. It does not parse MCP: the server
// tells it the names of methods, tools and documents.
//
// A caller's name is its principal: the name of its token, the subject of an issuer's token, or its uid on a unix
// socket. Sessions, documents and journals belong to principals.
package gate
