// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation

/// One life of the daemon, to be ended at once.
struct DaemonProcess {
    private let process: RigProcess

    /// Starts it; what it logs goes to the end of a file.
    init(_ path: String, environment: [String: String], log: String) throws {
        // The shell becomes the daemon: the process id stays.
        process = try RigProcess(
            ["/bin/sh", "-c", "exec \"$0\" </dev/null >/dev/null 2>>\"$1\"", path, log], environment: environment)
    }

    var isRunning: Bool { process.isRunning }

    /// The processes that it has started.
    var children: [pid_t] { Self.children(of: process.id) }

    /// SIGKILL, and its end; a process that it has started may live a moment longer.
    func kill() async {
        Foundation.kill(process.id, SIGKILL)
        await process.end()
    }

    /// SIGKILL to it and all that it has started, and the end of all, as a power switch has it.
    func killAll() async {
        // Stopped first, so that it starts no other meanwhile.
        Foundation.kill(process.id, SIGSTOP)
        while process.isRunning, Self.state(of: process.id) != "T" { usleep(200) }
        let children = children
        for child in children { Foundation.kill(child, SIGKILL) }
        await kill()
        for child in children {
            while let state = Self.state(of: child), state != "Z" { usleep(200) }
        }
    }

    /// SIGTERM, and its end.
    func end() async {
        Foundation.kill(process.id, SIGTERM)
        await process.end()
    }

    /// The state of a process as /proc has it; nil where there is none.
    private static func state(of process: pid_t) -> Substring? { fields(of: process)?.first }

    private static func children(of parent: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { fields(of: $0)?.dropFirst().first == "\(parent)" }
    }

    /// State, parent and so on: what stands behind the name in parentheses, which may hold anything.
    private static func fields(of process: pid_t) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
    }
}
