// SPDX-License-Identifier: Apache-2.0
import Glibc
import RawBus

// A caller that does what it is told, from wherever it was started: HostileCaller ADDRESS, then a command a line on
// standard input. It links no Foundation, so that a bare root folder is enough for it. Prints "ready PID NAME", then a line
// for each command; arguments travel as hexadecimal of what goes over the wire.
//
//   call PATH INTERFACE MEMBER SIGNATURE BODY [FILE…]   one call; the files are opened and passed
//                                                      prints "reply SIGNATURE BODY" or "error NAME TEXT"
//   flood COUNT PATH INTERFACE MEMBER SIGNATURE BODY    calls without reading; prints "flooded COUNT"
//   read COUNT MILLISECONDS                             reads answers; prints "read REPLIES ERRORS"
//   half PATH INTERFACE MEMBER SIGNATURE BODY           half a message, then the end
//   leave PATH INTERFACE MEMBER SIGNATURE BODY          a whole call, then the end before its answer
//   own NAME                                            takes a name on the bus; prints "owned"
//   signals MILLISECONDS                                prints "signals COUNT MEMBER…", what came without being asked
//   sees PATH                                           prints "true" or "false"
// "-" stands for an empty signature or body.

/// Writes a line at once: the other end of a pipe waits for it.
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
