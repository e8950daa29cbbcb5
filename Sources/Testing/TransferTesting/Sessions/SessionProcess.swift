// SPDX-License-Identifier: Apache-2.0
package import BackgroundTransfer

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
