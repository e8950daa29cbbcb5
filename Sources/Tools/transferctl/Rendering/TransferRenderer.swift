// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel

/// A renderer of a service's updates. The service may be in this process or on the bus.
protocol TransferRenderer: Sendable {
    /// Shows a change of a transfer. `event` is `nil` if the service reports states only.
    mutating func show(_ status: TransferStatus, _ event: TransferEvent?)
    /// Shows a change of the service or of the machine.
    mutating func show(_ change: DaemonStatus)
    /// Shows a message that belongs to no transfer.
    mutating func showMessage(_ text: String)
    /// Ends the output.
    mutating func end()
    /// A Boolean value that indicates whether `flush()` has anything to draw.
    var isDirty: Bool { get }
    /// Draws the pending changes.
    mutating func flush()
}

extension TransferRenderer {
    mutating func show(_ change: DaemonStatus) {}
    mutating func showMessage(_ text: String) { Console.error("transferctl: \(text)".printable) }
    mutating func end() {}
    // Most renderers write immediately.
    var isDirty: Bool { false }
    mutating func flush() {}
}
