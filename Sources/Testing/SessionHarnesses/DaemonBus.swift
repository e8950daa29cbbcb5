// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferBusProtocol
import TransferTesting

/// A private bus that starts a private daemon at the daemon's first call.
///
/// The bus serves as the session bus and as the system bus of the daemon. The daemon therefore sees no service for
/// power, networks, or notifications.
final class DaemonBus: Sendable {
    /// The folder for all files of the bus and of its programs.
    let folder: String
    let address: String
    /// The environment of programs on this bus. The bus passes it to the programs that it starts.
    private let environment: [String: String]
    private let process = Process()
    private let input = Pipe()

    /// Starts the bus.
    ///
    /// - Throws: `ContractFailure` with the output of the bus.
    init(daemon: String) async throws {
        let folder = NSTemporaryDirectory() + "session-rules-\(UUID().uuidString.prefix(8))"
        self.folder = folder
        address = "unix:path=\(folder)/bus"
        environment = ProcessInfo.processInfo.environment.merging([
            "DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address,
            "XDG_STATE_HOME": folder + "/state",
            "XDG_CONFIG_HOME": folder + "/config", "XDG_CACHE_HOME": folder + "/cache",
        ]) { $1 }
        try FileManager.default.createDirectory(atPath: folder + "/services", withIntermediateDirectories: true)
        do {
            try write(daemon: daemon)
            try start()
            try await Self.until("the bus") {
                // The bus writes its address once it is listening.
                let words = (try? String(contentsOfFile: folder + "/words", encoding: .utf8)) ?? ""
                guard self.process.isRunning else { throw ContractFailure("dbus-daemon is not running: \(words)") }
                return words.contains("unix:")
            }
        } catch {
            await end()
            throw error
        }
    }

    private func write(daemon: String) throws {
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <auth>EXTERNAL</auth>
          <listen>\(address)</listen>
          <servicedir>\(folder)/services</servicedir>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow receive_sender="*" eavesdrop="true"/>
          </policy>
        </busconfig>
        """.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        try "[D-BUS Service]\nName=\(TransferBusName.service)\nExec=\"\(daemon)\"\n".write(
            toFile: folder + "/services/\(TransferBusName.service).service", atomically: true, encoding: .utf8)
    }

    private func start() throws {
        // The shell ends the bus when this process ends in any way, because the shell's input ends then.
        let guardian = """
            dbus-daemon "$@" & child=$!
            while read -r line; do :; done
            kill -KILL "$child" 2>/dev/null
            wait "$child"
            """
        try Data().write(to: URL(fileURLWithPath: folder + "/words"))
        let words = FileHandle(forWritingAtPath: folder + "/words")
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", guardian, "sh", "--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile", "--print-address=1",
        ]
        process.environment = environment
        process.standardInput = input
        process.standardOutput = words
        process.standardError = words
        try runWithoutBlockedSignals()
    }

    /// Starts the bus with all signals unblocked. Dispatch threads block SIGTERM and most other signals, and the
    /// daemon would inherit this from the bus.
    private func runWithoutBlockedSignals() throws {
        var none = sigset_t()
        var former = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try process.run()
    }

    /// Runs a program on the bus until it ends.
    ///
    /// - Throws: `ContractFailure` if the program fails.
    func run(_ words: [String]) async throws {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: words[0])
        program.arguments = Array(words.dropFirst())
        program.environment = environment
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = FileHandle.nullDevice
        program.standardError = FileHandle.nullDevice
        try program.run()
        try await Self.until("the end of '\(words.joined(separator: " "))'") { !program.isRunning }
        guard program.terminationStatus == 0 else {
            throw ContractFailure("'\(words.joined(separator: " "))' ended with \(program.terminationStatus)")
        }
    }

    /// Stops the bus and removes the folder.
    func end() async {
        try? input.fileHandleForWriting.close()
        try? await Self.until("the end of the bus") { !self.process.isRunning }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Waits until a condition holds, for as long as a busy machine may need.
    static func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !condition() {
            guard ContinuousClock.now < end else { throw ContractFailure("timed out waiting for \(what)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
