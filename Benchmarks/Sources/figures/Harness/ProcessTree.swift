// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Processes and their descendants, from /proc.
enum ProcessTree {
    /// Returns the children of a process.
    static func children(of parent: pid_t) -> [pid_t] { parents().filter { $0.value == parent }.map(\.key).sorted() }

    /// Returns a process and all its descendants.
    static func members(of root: pid_t) -> [pid_t] {
        let parents = parents()
        var members = [root]
        var index = 0
        while index < members.count {
            let parent = members[index]
            members += parents.filter { $0.value == parent }.map(\.key)
            index += 1
        }
        return members
    }

    /// Returns the proportional set size of a process in bytes; 0 if the process has ended.
    static func proportionalSetSize(of pid: pid_t) -> Int {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/smaps_rollup") else { return 0 }
        let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Pss:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    /// Returns the parent of every process.
    private static func parents() -> [pid_t: pid_t] {
        var parents: [pid_t: pid_t] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let pid = pid_t(name), let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else {
                continue
            }
            // The name in parentheses may contain any character. The state and the parent follow it.
            let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            if fields.count > 1, let parent = pid_t(fields[1]) { parents[pid] = parent }
        }
        return parents
    }
}

/// Samples the memory of a process and all its descendants every 20 ms, until ``end()`` is called.
final class MemorySampler: Sendable {
    private struct State {
        var peak = 0
        var hasEnded = false
    }
    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    init(root: pid_t) {
        Thread.detachNewThread { [self] in
            while !state.withLock(\.hasEnded) {
                let sum = ProcessTree.members(of: root).reduce(0) { $0 + ProcessTree.proportionalSetSize(of: $1) }
                state.withLock { $0.peak = max($0.peak, sum) }
                usleep(20_000)
            }
            done.signal()
        }
    }

    /// Ends the sampling and returns the largest observed sum, in MB.
    func end() -> Double {
        state.withLock { $0.hasEnded = true }
        done.wait()
        return Double(state.withLock(\.peak)) / 1e6
    }
}
