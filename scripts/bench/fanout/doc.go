// Package fanout measures pushing one state to many agents, a stream each.
//
// Server and agents are processes of their own, the same test binary started
// again, so that the server's CPU time and memory are its alone. The benchmark
// drives both over their standard input and output, a line each way:
//
//	server  start N      -> addr HOST:PORT
//	        joined       -> joined CPU HEAP    all N are here: CPU ns so far, live bytes
//	        push V       -> pushed T CPU       T is taken before the state is built
//	        acked V      -> acked T            T of the last ack; 0 without acks
//	        cpu          -> cpu NS
//	agents  connect A N  -> connected
//	        wait V       -> applied T          when the last of N has applied V
//
// Times are Unix nanoseconds of one machine's clock. Closing the standard input
// ends a child, so none outlives the benchmark.
//
// Metrics, medians over b.N pushes:
//
//	srv-us/delivery  server CPU, from push to last ack (or last applied)
//	last-ms          push to the last agent having applied it
//	ack-ms           push to the last ack seen by the server
//	KiB/agent        heap and stacks of the server after a collection
//	join-us          server CPU for one agent's arrival, with its first state
//
// The base is plain gRPC streaming as fast as grpc-go allows: the message
// encoded once and shared, fixed windows so that no bandwidth probe answers each
// message, small shared buffers, one goroutine a stream, latest wins.
package fanout
