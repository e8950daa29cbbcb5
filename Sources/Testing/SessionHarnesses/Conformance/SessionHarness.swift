// SPDX-License-Identifier: Apache-2.0
package import BackgroundTransfer
import TransferTesting

/// A service for background sessions under test, with its environment.
///
/// A new harness is created for each rule. The harness then has no session, no task, and no delay of the relaunch
/// limiter. The harness simulates a machine on AC power with an unmetered network. The machine reaches 127.0.0.1 and
/// localhost, the addresses of the server that the rules use.
///
/// The module SessionHarnesses provides two harnesses: the daemon on a private bus, and an engine in this process.
public protocol SessionHarness: Sendable {
    /// Returns another process of an app. Several processes of the same app and of other apps may exist at the same
    /// time.
    ///
    /// Most rules use a single app, ``SessionConformance/app``. Rule S1 uses a second app.
    func join(as app: String) async throws -> SessionProcess
    /// Ends the service, by a crash if possible, and starts it again with its saved state.
    ///
    /// Returns when sessions can be opened again.
    func restart() async throws
    /// Returns the identifiers of the sessions for which the service started an app or called a running process,
    /// oldest first. The harness only records a start: the rules join a process themselves.
    func starts(of app: String) async throws -> [String]
    /// Returns the relaunch limiter's delay for an app, or zero if there is none.
    func delay(of app: String) async throws -> Duration
    /// Simulates that the user force-quits an app.
    func quit(_ app: String) async throws
    /// Simulates the user's command to start all transfers now. Called only if ``reasonNotCheckable(_:)`` does not
    /// exclude rule T10.
    func startAllNow() async throws
    /// Switches the machine to AC power or to battery. Called only if ``reasonNotCheckable(_:)`` does not exclude rule
    /// S6.
    func setMachine(isOnACPower: Bool) async throws
    /// Returns the reason that a rule cannot be checked here, phrased to follow "because". Returns `nil` if the rule
    /// can be checked.
    func reasonNotCheckable(_ rule: SessionRule) -> String?
    /// Stops everything that was started and leaves nothing behind. Called once and last, also after a violation.
    func close() async
}

extension SessionHarness {
    /// Throws `ContractFailure`, because the user cannot start transfers. A harness without this method excludes rule
    /// T10.
    public func startAllNow() async throws { throw ContractFailure("no person can start transfers here") }
    /// Returns `nil`: every rule can be checked.
    public func reasonNotCheckable(_ rule: SessionRule) -> String? { nil }
}

/// A process of an app as its sessions see it, with its own channel to the service.
///
/// The process is simulated within the test process, and may end without it.
///
/// ```swift
/// let process = try SessionProcess(busAddress: address, relaunchCommand: ["/usr/bin/true"])
/// await process.leave()
/// ```
public struct SessionProcess: Sendable {
    package let channel: any SessionChannel
    private let end: @Sendable () async -> Void

    /// Creates a process that reaches a daemon over a bus. With a name, the initializer blocks until the bus has
    /// answered.
    ///
    /// - Parameters:
    ///   - address: The address of the bus, such as `unix:path=/run/user/1000/bus`.
    ///   - name: The bus name of the process, which also identifies its app. The name has at least two parts,
    ///     separated by dots. With `nil`, the app is identified by the test program and is the same for all processes
    ///     without a name.
    ///   - command: The command with which the daemon starts the app, an absolute path first. The started program
    ///     finds the session's identifier in the environment variable `BACKGROUND_TRANSFER_SESSION`.
    /// - Throws: `SessionError` if the bus cannot be reached, or if another program owns the name.
    public init(busAddress address: String, name: String? = nil, relaunchCommand command: [String]) throws {
        var options = DaemonChannel.Options()
        options.address = { address }
        options.relaunchCommand = { command }
        options.isInFront = { true }
        let channel = DaemonChannel(options: options)
        if let name { try channel.serve(as: name) { _ in } }
        self.init(over: channel) { channel.leave() }
    }

    /// Creates a process with another channel. `end` closes the channel as the death of the process would.
    package init(over channel: any SessionChannel, end: @escaping @Sendable () async -> Void) {
        self.channel = channel
        self.end = end
    }

    /// Ends the process as by its death. Its sessions become free, its tasks continue, and its unacknowledged events
    /// wait.
    public func leave() async { await end() }
}
