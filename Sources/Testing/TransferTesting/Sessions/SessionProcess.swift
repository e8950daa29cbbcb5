// SPDX-License-Identifier: Apache-2.0
package import BackgroundTransfer

/// A process of an app as far as its sessions tell: a way of its own to who carries them out.
///
/// It lies in the process that runs the trials, and may die without that.
public struct SessionProcess: Sendable {
    package let channel: any SessionChannel
    private let end: @Sendable () async -> Void

    /// A process that reaches a daemon over a bus. Blocks until the bus has answered where it takes a name.
    ///
    /// - Parameters:
    ///   - address: the bus's, as `unix:path=/run/user/1000/bus`.
    ///   - name: what the process is called on the bus, and the daemon's name for its app: at least two parts with a dot
    ///     between. Nil: its app is known by the program that runs the trials, and is the same for all without a name.
    ///   - command: the words by which the daemon starts the app, the absolute path of a program first. It finds the
    ///     session's identifier in the variable `BACKGROUND_TRANSFER_SESSION` of its environment.
    /// - Throws: `SessionError` where the bus cannot be reached, or the name is another's.
    public init(busAddress address: String, name: String? = nil, relaunchCommand command: [String]) throws {
        var options = DaemonChannel.Options()
        options.address = { address }
        options.relaunchCommand = { command }
        options.isInFront = { true }
        let channel = DaemonChannel(options: options)
        if let name { try channel.serve(as: name) { _ in } }
        self.init(over: channel) { channel.leave() }
    }

    /// A process that goes another way, which `end` closes as the process's death would.
    package init(over channel: any SessionChannel, end: @escaping @Sendable () async -> Void) {
        self.channel = channel
        self.end = end
    }

    /// It dies: its sessions are free, its tasks go on, and what it has not dealt with waits.
    public func leave() async { await end() }
}
