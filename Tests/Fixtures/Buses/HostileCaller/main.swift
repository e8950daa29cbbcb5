// SPDX-License-Identifier: Apache-2.0
import Glibc
import RawBus

// A caller that executes the commands of a test, in whatever environment the program was started.
//
// Usage: `HostileCaller ADDRESS`, followed by one command per line on standard input. The program does not link
// Foundation, so it runs in a bare root folder. It prints "ready PID NAME", and then one line for each command.
// Arguments are the wire bytes in hexadecimal.
//
//   call PATH INTERFACE MEMBER SIGNATURE BODY [FILE…]   makes one call; the files are opened and passed
//                                                      prints "reply SIGNATURE BODY" or "error NAME TEXT"
//   flood COUNT PATH INTERFACE MEMBER SIGNATURE BODY    calls without reading; prints "flooded COUNT"
//   read COUNT MILLISECONDS                             reads replies; prints "read REPLIES ERRORS"
//   half PATH INTERFACE MEMBER SIGNATURE BODY           sends half a message and exits
//   leave PATH INTERFACE MEMBER SIGNATURE BODY          sends a whole call and exits before the reply
//   own NAME                                            claims a bus name; prints "owned"
//   signals MILLISECONDS                                collects signals; prints "signals COUNT PATH:MEMBER…"
//   sees PATH                                           checks for a file; prints "true" or "false"
//
// "-" stands for an empty signature or body.

/// Writes a line without buffering, because the reader of the pipe waits for the line.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
        let count = bytes.withUnsafeBytes { write(1, $0.baseAddress! + sent, bytes.count - sent) }
        guard count > 0 else { exit(1) }
        sent += count
    }
}

guard CommandLine.arguments.count == 2 else {
    say("usage: HostileCaller ADDRESS")
    exit(2)
}
do {
    let caller = HostileCaller(bus: try RawBusConnection(address: CommandLine.arguments[1]))
    say("ready \(getpid()) \(caller.bus.name)")
    while let line = readLine() {
        do { say(try caller.perform(line.split(separator: " ").map(String.init))) } catch { say("failed \(error)") }
    }
} catch {
    say("failed \(error)")
    exit(1)
}
