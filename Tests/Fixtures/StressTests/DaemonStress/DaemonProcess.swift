// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// A running daemon process that can be killed at any time.
struct DaemonProcess {
    private let process: FixtureProcess

    /// Starts the daemon and appends its log output to a file.
    init(_ path: String, environment: [String: String], log: String) throws {
        // The shell replaces itself with the daemon, so the process id stays the same.
        process = try FixtureProcess(
            ["/bin/sh", "-c", "exec \"$0\" </dev/null >/dev/null 2>>\"$1\"", path, log], environment: environment)
    }

    var isRunning: Bool { process.isRunning }

    /// The ids of the daemon's child processes.
    var children: [pid_t] { Self.children(of: process.id) }

    /// Sends SIGKILL to the daemon and waits for its end. Child processes may live a moment longer.
    func kill() async {
        Foundation.kill(process.id, SIGKILL)
        await process.end()
    }

    /// Sends SIGKILL to the daemon and all its children, and waits for the end of each, as a power switch would.
    func killAll() async {
        // The daemon is stopped first, so that it starts no other processes in the meantime.
        Foundation.kill(process.id, SIGSTOP)
        while process.isRunning, Self.state(of: process.id) != "T" { usleep(200) }
        let children = children
        for child in children { Foundation.kill(child, SIGKILL) }
        await kill()
        for child in children {
            while let state = Self.state(of: child), state != "Z" { usleep(200) }
        }
    }

    /// Sends SIGTERM to the daemon and waits for its end.
    func end() async {
        Foundation.kill(process.id, SIGTERM)
        await process.end()
    }

    /// Returns the state letter of a process from /proc, or `nil` if there is no such process.
    private static func state(of process: pid_t) -> Substring? { fields(of: process)?.first }

    private static func children(of parent: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { fields(of: $0)?.dropFirst().first == "\(parent)" }
    }

    /// Returns the fields after the process name in /proc, beginning with the state and the parent.
    ///
    /// The name is in parentheses and may contain any characters.
    private static func fields(of process: pid_t) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
    }
}
