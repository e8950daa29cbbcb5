// SPDX-License-Identifier: Apache-2.0
import CProcesses
import Foundation

/// A whole process with all that it starts, timed by the kernel's own accounting.
struct Command {
    /// What a run cost.
    struct Cost {
        /// Seconds from start to end.
        var wall: Double
        /// User and system seconds of the process and all that it started, whoever waited for them.
        var cpu: Double
        /// The most memory of all of them together, in MB (10^6 bytes) of proportional set size; nil where it was not
        /// looked at.
        var peakMemory: Double?
    }

    var program: String
    var arguments: [String]

    /// Runs it to its end, its output dropped.
    ///
    /// - Parameter samplesMemory: whether memory is looked at meanwhile, every 20 ms; costs the process time.
    /// - Throws: `FigureError` when it cannot be started or does not end with status 0.
    func run(samplesMemory: Bool = false) throws -> Cost {
        // What it leaves behind becomes our child, and its costs ours to count.
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
            throw FigureError("\(program) \(arguments.joined(separator: " ")) ended with \(main.status)")
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
        guard code == 0 else { throw FigureError("\(program) cannot be started: \(String(cString: strerror(code)))") }
        return pid
    }

    private static func wait(for pid: pid_t) -> (status: Int32, cpu: Double) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (status, seconds(usage.ru_utime) + seconds(usage.ru_stime))
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
