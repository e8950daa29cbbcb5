// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Logging
import ServiceLifecycle
import Synchronization
import ToolSupport

/// Runs the program `transfer-rpc` while `[rpc]` is enabled in `config.toml`, and starts it again after it has ended.
///
/// The program reads what strangers send, so it is a process of its own, and an app like any other for the daemon.
final class RPCServer: Service {
    /// The name of the program.
    private static let programName = "transfer-rpc"
    /// The delay before a program that has ended is started again. It doubles with each start.
    private static let delays = (first: Duration.seconds(1), longest: Duration.seconds(60))

    private let state: String
    private let bus: String
    private let logger: Logger
    private let wanted = AsyncStream.makeStream(of: RPCSettings?.self, bufferingPolicy: .bufferingNewest(1))
    private let process = Mutex<Int32?>(nil)

    /// Creates a server that waits for ``configure(_:)``.
    ///
    /// - Parameters:
    ///   - state: The state folder of the daemon.
    ///   - bus: The address of the bus.
    init(state: String, bus: String, logger: Logger) {
        (self.state, self.bus, self.logger) = (state, bus, logger)
    }

    /// Starts the program with other settings, or ends it if the settings are `nil`.
    func configure(_ settings: RPCSettings?) { wanted.continuation.yield(settings) }

    /// The number of the running process.
    var processIDs: [Int32] { process.withLock { $0.map { [$0] } ?? [] } }

    func run() async throws {
        var running: Task<Void, Never>?
        var current: RPCSettings?
        for await settings in wanted.stream.cancelOnGracefulShutdown() where settings != current {
            running?.cancel()
            await running?.value
            current = settings
            running = settings.map { settings in Task { await keepRunning(settings) } }
        }
        running?.cancel()
        await running?.value
    }

    private func keepRunning(_ settings: RPCSettings) async {
        guard let program = SiblingProgram.path(of: Self.programName) else {
            return logger.error(
                "[rpc] is enabled, but its program is missing; install it, or build it with 'swift build'",
                metadata: ["where": "\(Self.programName) beside transferd or in ../libexec/background-transfer"])
        }
        var delay = Self.delays.first
        while !Task.isCancelled {
            do {
                let end = try await runOnce(program, settings)
                guard !Task.isCancelled else { return }
                logger.error("the RPC server ended; it will be started again", metadata: ["how": "\(end)"])
            } catch {
                logger.error("cannot start the RPC server", metadata: ["why": "\(error)"])
            }
            try? await Task.sleep(for: delay)
            delay = min(delay * 2, Self.delays.longest)
        }
    }

    /// Starts the program, and returns its end. Cancellation ends the program.
    private func runOnce(_ program: String, _ settings: RPCSettings) async throws -> String {
        let order = try order(settings)
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw UsageError(String(cString: strerror(errno)))
        }
        // The program ends when this end is closed, even if the daemon is killed.
        let (mine, theirs) = (pair[0], pair[1])
        defer { close(mine) }
        var child = ChildProgram(program, [program], environment: ProcessInfo.processInfo.environment)
        child.passedFile = theirs
        child.output = .null
        let number: Int32
        do {
            defer { close(theirs) }
            number = try child.start()
        }
        process.withLock { $0 = number }
        let message = Array(order) + [UInt8(ascii: "\n")]
        let written = message.withUnsafeBytes { send(mine, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if written != message.count { kill(number, SIGKILL) }
        logger.notice("the RPC server runs", metadata: ["port": "\(settings.port)"])
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    ChildProgram.awaitEnd(of: number)
                    continuation.resume()
                }
            }
        } onCancel: {
            // The number cannot belong to another process before the program is collected, below. All that the program
            // has to keep is in the daemon.
            kill(number, SIGKILL)
        }
        process.withLock { $0 = nil }
        return switch ChildProgram.collect(number) {
        case .status(let status)?: "status \(status)"
        case .signal(let signal)?: "signal \(signal)"
        case nil: "unknown"
        }
    }

    private func order(_ settings: RPCSettings) throws -> Data {
        var settings = settings
        settings.token = try settings.token ?? RPCToken.ensure(at: state + "/" + RPCToken.fileName)
        return try JSONEncoder().encode(RPCOrder(settings: settings, bus: bus))
    }
}

/// The secret that every call of RPC must contain.
enum RPCToken {
    /// The name of the file in the state folder.
    static let fileName = "rpc-token"

    /// Returns the token in a file, and makes it if the file is missing. Only the user may read the file.
    static func ensure(at path: String) throws -> String {
        if let data = FileManager.default.contents(atPath: path) {
            let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard token.utf8.count >= 16 else {
                throw UsageError("\(path) has fewer than 16 characters; remove the file to have a token made")
            }
            return token
        }
        let token = (0..<16).map { _ in String(format: "%02x", UInt8.random(in: .min ... .max)) }.joined()
        try DurableFile.write(Data((token + "\n").utf8), to: path)
        return token
    }
}
