// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures the cost of the bus. Calls of one client are compared with a bare GDBus service on the same bus. Further
/// measurements cover a hundred clients that come and go, a list of ten thousand transfers, and the daemon's start
/// with ten thousand transfers.
enum BusCalls {
    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let programs = try Programs(options)
        let folder = try WorkFolder(in: options.diskFolder, room: 1 << 28)
        let bus = try PrivateBus(in: folder.path, daemon: programs.daemon)
        return try calls(options, programs, bus) + concurrentClients(options, programs, bus)
            + longQueue(options, programs, bus)
    }

    // MARK: Calls

    private static func calls(_ options: Options, _ programs: Programs, _ bus: PrivateBus) throws -> [BenchmarkResult] {
        var rates: [String: [Double]] = [:]
        var slowest: [String: [Double]] = [:]
        for _ in 0..<options.rounds {
            let text = try bus.output(
                of: programs.stressTest, ["meter", bus.address, options.isQuick ? "1000" : "5000"])
            for line in text.split(separator: "\n").map({ $0.split(separator: " ") }) where line.count == 4 {
                rates[String(line[0]), default: []].append(Double(line[1]) ?? .nan)
                slowest[String(line[0]), default: []].append(Double(line[3]) ?? .nan)
            }
        }
        guard rates["echo"] != nil else { throw BenchmarkError("the meter printed no results") }
        // The time per call: lower is better.
        func time(_ name: String) -> Spread? { rates[name].flatMap { Spread($0.map { 1000 / $0 }) } }
        func tail(_ name: String) -> Spread? { slowest[name].flatMap { Spread($0) } }
        return ["list", "submit"].flatMap { name -> [BenchmarkResult] in
            [
                BenchmarkResult(
                    name: "bus-calls-\(name)", ours: time(name), unit: "ms a call", peer: "echo", theirs: time("echo")),
                BenchmarkResult(
                    name: "bus-calls-\(name)-p99", ours: tail(name), unit: "ms", peer: "echo", theirs: tail("echo")),
            ]
        }
    }

    // MARK: A hundred clients

    /// The calls per second of all clients together. Each client's mean pause between two calls follows from this
    /// rate.
    private static let callsPerSecond = 300

    private static func concurrentClients(_ options: Options, _ programs: Programs, _ bus: PrivateBus) throws
        -> [BenchmarkResult]
    {
        let clients = 100
        let text = try bus.output(
            of: programs.stressTest,
            [bus.address, options.isQuick ? "30" : "300", "\(clients)", "2026", "\(clients * 1000 / callsPerSecond)"])
        var values: [String: Double] = [:]
        for pair in text.split(whereSeparator: \.isWhitespace).map({ $0.split(separator: "=") }) where pair.count == 2 {
            values[String(pair[0])] = Double(pair[1])
        }
        func result(_ name: String, _ key: String, _ unit: String, bar: Double? = nil) -> BenchmarkResult {
            BenchmarkResult(
                name: "bus-crowd \(name)", ours: values[key].map { Spread($0) }, unit: unit, bar: bar,
                isBarAbsolute: true)
        }
        return [
            result("p50 of \(clients) clients", "p50_ms", "ms"),
            result("p99 of \(clients) clients", "p99_ms", "ms", bar: 10),
            result("calls", "calls_per_s", "a second"),
        ]
    }

    // MARK: Ten thousand

    private static func longQueue(_ options: Options, _ programs: Programs, _ bus: PrivateBus) throws
        -> [BenchmarkResult]
    {
        let urls = bus.folder + "/urls"
        try (0..<10_000).map { "http://127.0.0.1:9/\($0)\n" }.joined().write(
            toFile: urls, atomically: true, encoding: .utf8)
        _ = try bus.output(of: programs.control, ["add", "--input", urls, "--not-before", "+7d", "-d", bus.folder])
        var lists: [Double] = []
        var starts: [Double] = []
        for _ in 0..<options.rounds {
            let clock = ContinuousClock()
            lists.append(try clock.measure { _ = try bus.output(of: programs.control, ["list"]) } / .milliseconds(1))
            try bus.endDaemon(programs)
            // The bus starts the daemon, and delivers the pending call once the daemon owns its name.
            starts.append(
                try clock.measure {
                    _ = try bus.output(
                        of: programs.gdbus,
                        [
                            "call", "--address", bus.address, "--dest", "org.transferd", "--object-path",
                            "/org/transferd/Manager", "--method", "org.freedesktop.DBus.Peer.Ping",
                        ])
                } / .milliseconds(1))
        }
        try bus.endDaemon(programs)
        return [
            BenchmarkResult(
                name: "bus-list-10k", ours: Spread(lists), unit: "ms", bar: 60, isBarAbsolute: true),
            BenchmarkResult(
                name: "daemon-start-10k", ours: Spread(starts), unit: "ms to the name"),
        ]
    }
}

/// The programs to run, which are built from the package above in release mode, unless named by `--with`.
private struct Programs {
    let control: String
    let daemon: String
    let stressTest: String
    let gdbus: String

    init(_ options: Options) throws {
        control = try Transferctl.path(options)
        let folder = URL(fileURLWithPath: control).deletingLastPathComponent().path
        func built(_ name: String) throws -> String {
            if let path = options.paths[name] { return path }
            let path = folder + "/" + name
            if options.paths["transferctl"] == nil, let swift = Command.find("swift") {
                let root = URL(fileURLWithPath: #filePath).appending(path: "../../../../..").standardizedFileURL.path
                _ = try Command(
                    program: swift, arguments: ["build", "-c", "release", "--product", name, "--package-path", root]
                ).run()
            }
            guard FileManager.default.isExecutableFile(atPath: path) else {
                throw BenchmarkError("no such program: \(path); build it, or pass --with \(name)=PATH")
            }
            return path
        }
        daemon = try built("transferd")
        _ = try built("transfer-worker")
        stressTest = try built("BusStress")
        guard let gdbus = options.program("gdbus") else { throw BenchmarkError("gdbus is not installed") }
        self.gdbus = gdbus
    }
}

/// A private message bus that starts the daemon on first use.
private final class PrivateBus {
    let folder: String
    let address: String
    private let environment: [String: String]
    private let process: Process

    init(in folder: String, daemon: String) throws {
        guard let program = Command.find("dbus-daemon") else { throw BenchmarkError("dbus-daemon is not installed") }
        self.folder = folder
        address = "unix:path=\(folder)/socket"
        let names = ["STATE", "CONFIG", "CACHE", "DATA"].map { ("XDG_\($0)_HOME", "\(folder)/\($0.lowercased())") }
        let buses = ["SESSION", "SYSTEM"].map { ("DBUS_\($0)_BUS_ADDRESS", "unix:path=\(folder)/socket") }
        let own = Dictionary(uniqueKeysWithValues: names + buses)
        environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        try FileManager.default.createDirectory(atPath: folder + "/services", withIntermediateDirectories: true)
        let words = own.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        try "[D-BUS Service]\nName=org.transferd\nExec=/usr/bin/env \(words) \(daemon)\n".write(
            toFile: folder + "/services/org.transferd.service", atomically: true, encoding: .utf8)
        try """
        <busconfig><type>session</type><listen>\(address)</listen><servicedir>\(folder)/services</servicedir>
        <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
        </busconfig>
        """.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--config-file=\(folder)/bus.conf", "--nofork"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<200 where !FileManager.default.fileExists(atPath: folder + "/socket") { usleep(20_000) }
    }

    deinit { process.terminate() }

    /// Returns the output of a program, which must exit with status 0.
    func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                "\(program) \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Terminates the daemon and waits for its end.
    func endDaemon(_ programs: Programs) throws {
        let text = try output(of: programs.control, ["service", "status", "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        guard let pid = object?["process"] as? Int else { throw BenchmarkError("the daemon is not running") }
        kill(pid_t(pid), SIGTERM)
        while kill(pid_t(pid), 0) == 0 { usleep(10_000) }
    }
}
