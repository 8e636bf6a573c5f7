// Package services gives tests the real servers they need, and leaves nothing
// behind. Only tests import it.
//
// For each service, in this order:
//
//  1. the one named by the environment (TEST_POSTGRES_DSN, TEST_REDIS_URL),
//  2. a container, where a Docker engine answers,
//  3. a private server from this machine's binaries, on a unix socket in a
//     temporary folder, started as an unprivileged user when the test is root
//     (PostgreSQL refuses root),
//  4. else the test fails with one sentence that says what to install.
//
// # Lifetime
//
// One shared server serves a test process: it starts with the first test that
// asks (1-2 s) and each test gets a database of its own. It is started through a
// small shell that the kernel signals when the test process dies, however it
// dies; the shell then stops the server and removes its folder. Shared servers
// run without fsync. Durable gives a test a server of its own with fsync and
// synchronous_commit on, which may be killed and started again.
package services
