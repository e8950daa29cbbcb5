// SPDX-License-Identifier: Apache-2.0
package import TransferEngine

/// An executor whose only transfer is something else that runs: a command, or a unit of systemd.
package protocol CommandTarget: TransferExecutor {
    /// Handles a signal that this program received.
    ///
    /// - Parameter ifIdle: Called if nothing runs that the signal could end.
    func receive(_ signal: ReceivedSignal, ifIdle: @escaping @Sendable () -> Void)

    /// Continues what is frozen, for good, because the machine shuts down.
    func prepareForShutDown()
}
