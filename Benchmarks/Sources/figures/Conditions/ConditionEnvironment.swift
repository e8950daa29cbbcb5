// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A network namespace with a virtual cable. On request, also has a bus, a real NetworkManager, and a real upowerd
/// with a simulated AC adapter and battery. Everything is removed on deinitialization.
final class ConditionEnvironment {
    static let resources = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../../Tests/Fixtures/Buses/ConditionFixtures/Resources").standardizedFileURL.path

    private let name = "figures\(getpid())"
    private let folder: WorkFolder
    private let program: String
    private var children: [Child] = []

    /// The environment variables that direct programs to this bus.
    var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/bus", "XDG_CONFIG_HOME": folder.path]
    }

    init(_ options: Options) throws {
        program = try Transferctl.path(options)
        folder = try WorkFolder(in: options.memoryFolder, room: 1 << 20)
        _ = try Command(program: "/usr/bin/env", arguments: ["ip", "netns", "add", name]).run()
        try run("ip link set lo up")
        try run("ip link add cable type veth peer name far")
        try run("ip link set far up")
    }

    deinit {
        // Ends the children in reverse order of their start.
        for child in children.reversed() { child.end() }
        _ = try? Command(program: "/usr/bin/env", arguments: ["ip", "netns", "del", name]).run()
    }

    /// Returns the command that runs `command` in the namespace.
    func inside(_ command: [String]) -> [String] { ["ip", "netns", "exec", name] + command }

    /// Runs a command in the namespace, on its bus. The command is split at spaces.
    func run(_ command: String) throws {
        let settings = environment.map { "\($0.key)=\($0.value)" }
        let words = settings + inside(command.split(separator: " ").map(String.init))
        _ = try Command(program: "/usr/bin/env", arguments: words).run()
    }

    /// Writes a file that is removed together with the environment, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Starts a command in the namespace without waiting for it.
    func start(_ command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        children.append(try Child(inside(words), environment))
    }

    /// Starts the message bus.
    func startBus() throws {
        let template = try String(contentsOfFile: Self.resources + "/bus.conf.in", encoding: .utf8)
        try template.replacingOccurrences(of: "@BUS_SOCKET@", with: folder.path + "/bus")
            .replacingOccurrences(of: "@SERVICE_DIR@", with: folder.path + "/www")
            .write(toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        let bus = try Child(
            ["dbus-daemon", "--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address=1"], [:])
        children.append(bus)
        try bus.wait { $0.hasPrefix("unix:") }
    }

    /// Simulates an AC adapter and a battery.
    func startPower() throws -> Power {
        let child = try Child(
            ["umockdev-wrapper", "/usr/bin/python3", Self.resources + "/power-fixture.py"], environment)
        children.append(child)
        return try Power(child: child)
    }

    /// Starts NetworkManager on the bus and connects the cable.
    func startManager() throws {
        try start("unshare --mount /bin/sh \(Self.resources)/network-manager.sh")
        let end = ContinuousClock.now + .seconds(20)
        while (try? run("nmcli -t general status")) == nil {
            guard ContinuousClock.now < end else { throw BenchmarkError("NetworkManager does not respond") }
            usleep(50_000)
        }
        try run(
            "nmcli connection add type ethernet ifname cable con-name wired ipv4.method manual ipv4.addresses "
                + "10.9.0.2/24 ipv4.gateway 10.9.0.1 ipv6.method disabled autoconnect no")
        try run("nmcli connection up wired")
    }

    /// Starts the program under test with additional `arguments`, and with environment settings that apply to it
    /// alone.
    func watch(_ arguments: [String] = [], settings: [String] = []) throws -> Watch {
        let words = ["env"] + settings + [program, "conditions", "--watch", "--json"] + arguments
        let child = try Child(inside(words), environment)
        children.append(child)
        return Watch(child: child)
    }

    /// An AC adapter and a battery that umockdev simulates.
    struct Power {
        private let child: Child
        /// The root folder of the simulated machine.
        private let root: String

        fileprivate init(child: Child) throws {
            self.child = child
            try child.send("root")
            var root = ""
            try child.wait {
                root = String($0.dropFirst(3))
                return $0.hasPrefix("ok ")
            }
            self.root = root
        }

        /// The settings that connect a program to the simulated kernel.
        var kernelSettings: [String] { ["LD_PRELOAD=libumockdev-preload.so.0", "UMOCKDEV_DIR=\(root)"] }

        /// Starts a real upowerd.
        func startDaemon() throws {
            try child.send("spawn")
            try child.wait { $0.hasPrefix("ok") }
        }

        /// Plugs the adapter in or out. Changes sysfs first, which takes a disk write here, and then sends the
        /// kernel's announcement. Returns the time of the announcement, in nanoseconds of the boot-time clock.
        func setPlug(_ isIn: Bool) throws -> Int64 {
            try child.send("ac \(isIn ? 1 : 0)")
            var announced: Int64?
            try child.wait {
                announced = Int64($0.dropFirst(3))
                return $0.hasPrefix("ok ")
            }
            guard let announced else { throw BenchmarkError("the simulator did not report the time of the change") }
            return announced
        }
    }

    /// The output of `transferctl conditions --watch --json`.
    struct Watch {
        /// The conditions that matter here.
        struct Facts {
            var network: String?
            var metered: String?
            var power: String?
            var powerSource: String?

            init(_ line: String) {
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                func word(_ key: String, _ part: String = "value") -> String? {
                    (object?[key] as? [String: Any])?[part] as? String
                }
                (network, metered) = (word("network"), word("metered"))
                (power, powerSource) = (word("power"), word("power", "source"))
            }
        }

        fileprivate let child: Child

        /// The process ID.
        var id: Int32 { child.id }

        /// Waits for a report that satisfies a predicate.
        func wait(until fits: (Facts) -> Bool) throws { try child.wait { fits(Facts($0)) } }

        /// Returns the milliseconds from a change to the line that reports it. The closure returns the time of the
        /// change, in nanoseconds of the boot-time clock.
        func delay(since change: () throws -> Int64, until fits: (Facts) -> Bool) throws -> Double {
            let start = try change()
            let reportTime = try child.wait { fits(Facts($0)) }
            let age = (ContinuousClock.now - reportTime).components
            var now = timespec()
            clock_gettime(CLOCK_BOOTTIME, &now)
            let elapsed = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - start
            usleep(100_000)
            return Double(elapsed) / 1e6 - Double(age.seconds) * 1e3 - Double(age.attoseconds) / 1e15
        }

        /// Returns the milliseconds from the start of a change to the line that reports it.
        func time(_ change: () throws -> Void, until fits: (Facts) -> Bool) throws -> Double {
            let start = ContinuousClock.now
            try change()
            let time = try child.wait { fits(Facts($0)) } - start
            // The pause lets the changed service become idle.
            usleep(100_000)
            return Double(time.components.seconds) * 1e3 + Double(time.components.attoseconds) / 1e15
        }
    }
}

/// A child process with line-based input and output.
final class Child {
    private struct State {
        var lines: [(text: String, time: ContinuousClock.Instant)] = []
        var rest = Data()
        var hasEnded = false
    }

    private let process = Process()
    private let input = Pipe()
    private let state: Mailbox

    private final class Mailbox: Sendable {
        let content = Mutex(State())
    }

    /// Starts a program, which is searched for in `PATH`.
    init(_ command: [String], _ environment: [String: String]) throws {
        let (output, state) = (Pipe(), Mailbox())
        self.state = state
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let descriptor = output.fileHandleForReading.fileDescriptor
        Thread.detachNewThread {
            withExtendedLifetime(output) { Self.read(descriptor, into: state) }
        }
    }

    private static func read(_ descriptor: Int32, into state: Mailbox) {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(descriptor, &block, block.count)
            let time = ContinuousClock.now
            if count < 0, errno == EINTR { continue }
            state.content.withLock { content in
                guard count > 0 else { return content.hasEnded = true }
                content.rest.append(contentsOf: block[..<count])
                while let end = content.rest.firstIndex(of: 10) {
                    content.lines.append((String(decoding: content.rest[..<end], as: UTF8.self), time))
                    content.rest = Data(content.rest[(end + 1)...])
                }
            }
            if count <= 0 { return }
        }
    }

    /// The process ID.
    var id: Int32 { process.processIdentifier }

    /// Writes a line to the input of the process.
    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Waits up to 20 s for a matching line, and returns the time of its arrival. Drops the matching line and all
    /// lines before it.
    @discardableResult
    func wait(where fits: (String) -> Bool) throws -> ContinuousClock.Instant {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            let (lines, hasEnded) = state.content.withLock { content in
                defer { content.lines = [] }
                return (content.lines, content.hasEnded)
            }
            if let index = lines.firstIndex(where: { fits($0.text) }) {
                state.content.withLock { $0.lines.insert(contentsOf: lines[(index + 1)...], at: 0) }
                return lines[index].time
            }
            guard !hasEnded else { throw BenchmarkError("a program ended before it printed the expected line") }
            usleep(500)
        }
        throw BenchmarkError("a program did not print the expected line within 20 s")
    }

    /// Terminates the process and waits for its end.
    func end() {
        try? input.fileHandleForWriting.close()
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
