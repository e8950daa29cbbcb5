// SPDX-License-Identifier: Apache-2.0
import CProcesses
import Foundation

/// A process with all its descendants, timed by the kernel's accounting.
struct Command {
    /// The cost of a run.
    struct Cost {
        /// The seconds from start to end.
        var wall: Double
        /// The user and system time in seconds, of the process and all its descendants, even if another process
        /// waited for them.
        var cpu: Double
        /// The peak memory of all processes together, as proportional set size in MB (10^6 bytes); `nil` if memory was
        /// not sampled.
        var peakMemory: Double?
    }

    var program: String
    var arguments: [String]

    /// Runs the command to its end and discards its output.
    ///
    /// - Parameter samplesMemory: Whether to sample memory every 20 ms. Sampling costs the process time.
    /// - Throws: `BenchmarkError` if the command cannot be started or exits with a status other than 0.
    func run(samplesMemory: Bool = false) throws -> Cost {
        // Orphans of the command become children of this process, so that their costs can be counted.
        _ = adopt_orphans()
        let before = Set(ProcessTree.children(of: getpid()))
        let start = ContinuousClock.now
        let pid = try spawn()
        let sampler = samplesMemory ? MemorySampler(root: pid) : nil
        let main = Self.wait(for: pid)
        let wall = ContinuousClock.now - start
        var cpu = main.cpu
        let peak = sampler?.end()
        for orphan in ProcessTree.children(of: getpid()) where !before.contains(orphan) {
            cpu += Self.wait(for: orphan).cpu
        }
        guard main.status == 0 else {
            throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) ended with \(main.status)")
        }
        return Cost(
            wall: Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18, cpu: cpu,
            peakMemory: peak)
    }

    private func spawn() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var argv = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, program, &actions, nil, &argv, environ)
        guard code == 0 else {
            throw BenchmarkError("\(program) cannot be started: \(String(cString: strerror(code)))")
        }
        return pid
    }

    private static func wait(for pid: pid_t) -> (status: Int32, cpu: Double) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (status, seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// Returns the absolute path of an installed program; `nil` if the program is not installed.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension Array where Element == Double {
    /// The median. For an even number of elements, the mean of the two middle values; NaN for an empty array.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
