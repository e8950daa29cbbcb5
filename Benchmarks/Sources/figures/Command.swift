// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A whole process, timed by the kernel's own accounting.
struct Command {
    /// What a run cost.
    struct Cost {
        /// Seconds from start to end.
        var wall: Double
        /// User and system seconds of the process and its children that it waited for.
        var cpu: Double
        /// The largest resident set of any of them, in MB (10^6 bytes).
        var peakMemory: Double
    }

    var program: String
    var arguments: [String]

    /// Runs it to its end, its output dropped.
    ///
    /// - Throws: `FigureError` when it cannot be started or does not end with status 0.
    func run() throws -> Cost {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var argv = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        var pid: pid_t = 0
        let start = ContinuousClock.now
        let code = posix_spawn(&pid, program, &actions, nil, &argv, environ)
        guard code == 0 else { throw FigureError("\(program) cannot be started: \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        let wall = ContinuousClock.now - start
        guard status == 0 else {
            throw FigureError("\(program) \(arguments.joined(separator: " ")) ended with \(status)")
        }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Cost(
            wall: Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18,
            cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime), peakMemory: Double(usage.ru_maxrss) * 1024 / 1e6)
    }

    /// The absolute path of an installed program; nil where there is none.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension Array where Element == Double {
    /// The middle value; the mean of the two middle ones where there are two.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
