// Package s3 keeps files as objects below a prefix of a bucket, in any store that has the S3 API and supports
// conditional PUTs (If-Match, If-None-Match).
//
// # Notes
//
//   - A file's version is its object's ETag. A PUT is conditional on the ETag that was read, or on there being no object, so the store
//     decides which of several concurrent saves succeeds. A store that ignores these conditions is detected before the first write
//     (package files).
//   - An object is written by one PUT, never in parts, so it is complete or absent. Its bytes are covered by the signature. That limits it
//     to 5 GiB.
//   - Credentials come from the environment, the files of AWS or MinIO, or the metadata service of an AWS machine. No error contains them:
//     what a server or the network reports is reduced to its reason.
package s3
