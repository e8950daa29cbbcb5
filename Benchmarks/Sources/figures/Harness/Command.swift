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
        /// The number of times that a thread gave up its processor to wait, and that it lost it to another thread.
        var switches: (voluntary: Int, involuntary: Int)
        /// The number of packets that arrived on the loopback interface meanwhile, for whichever process.
        var packets: Int
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
        let packets = Self.loopbackPackets
        let start = ContinuousClock.now
        let pid = try spawn()
        let sampler = samplesMemory ? MemorySampler(root: pid) : nil
        var (status, usage) = Self.wait(for: pid)
        let wall = ContinuousClock.now - start
        let peak = sampler?.end()
        for orphan in ProcessTree.children(of: getpid()) where !before.contains(orphan) {
            usage.add(Self.wait(for: orphan).usage)
        }
        guard status == 0 else {
            throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) ended with \(status)")
        }
        return Cost(
            wall: Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18, cpu: usage.cpu,
            switches: (usage.ru_nvcsw, usage.ru_nivcsw), packets: Self.loopbackPackets - packets, peakMemory: peak)
    }

    /// The number of packets that have arrived on the loopback interface since the machine's start.
    private static var loopbackPackets: Int {
        let path = "/sys/class/net/lo/statistics/rx_packets"
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
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

    private static func wait(for pid: pid_t) -> (status: Int32, usage: rusage) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        return (status, usage)
    }

    /// Returns the absolute path of an installed program; `nil` if the program is not installed.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension rusage {
    /// The user and system time in seconds.
    fileprivate var cpu: Double {
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(ru_utime) + seconds(ru_stime)
    }

    /// Adds the times and the context switches of another process.
    fileprivate mutating func add(_ other: rusage) {
        ru_utime.tv_sec += other.ru_utime.tv_sec
        ru_utime.tv_usec += other.ru_utime.tv_usec
        ru_stime.tv_sec += other.ru_stime.tv_sec
        ru_stime.tv_usec += other.ru_stime.tv_usec
        ru_nvcsw += other.ru_nvcsw
        ru_nivcsw += other.ru_nivcsw
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
