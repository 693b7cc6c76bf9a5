// Package s3 keeps files as objects below a prefix of a bucket, in any store that has the S3 API and keeps the conditions of a PUT
// (If-Match, If-None-Match).
//
// # Notes
//
//   - A file's version is its object's ETag. A PUT has the ETag as its condition that was read, or that there is no object, so the store
//     decides which of several hosts that save at once is first. A store that does not know these conditions is found out before the
//     first write (package files).
//   - An object is written by one PUT, never in parts, so it is there whole or not at all. Its bytes are signed with it. That bounds it to
//     5 GiB.
//   - Credentials come from the environment, the files of AWS or MinIO, or what a machine of AWS gives its programs. They are in no error:
//     what a server or the way to it says is cut to its reason.
package s3
