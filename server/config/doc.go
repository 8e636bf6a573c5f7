// Package config holds the controller's typed settings: defaults that run on one
// machine with nothing installed, a YAML file, environment variables and flags,
// each overriding the one before.
//
// A key such as `lease.ttl` is written lease: {ttl: 6s} in the file,
// ALLSPARK_LEASE_TTL in the environment and --lease.ttl on the command line.
// Unknown keys in the file are an error: a typo must not silently mean the
// default. Validate names the key and what it wants.
package config
