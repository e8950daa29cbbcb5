// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine
import TransferModel

/// One way of drawing what a service tells of its transfers, whether it is in this process or on the bus.
protocol TransferRenderer: Sendable {
    /// Draws a change of a transfer. The event is nil if the service tells states only.
    mutating func show(_ status: TransferStatus, _ event: TransferEvent?)
    /// Draws what has changed of the service and of the machine.
    mutating func show(_ change: DaemonStatus)
    /// Writes a message that belongs to no transfer.
    mutating func note(_ text: String)
    /// Ends the output.
    mutating func end()
    /// Whether there is something that `flush()` would draw.
    var isDirty: Bool { get }
    /// Draws what has changed.
    mutating func flush()
}

extension TransferRenderer {
    mutating func show(_ change: DaemonStatus) {}
    mutating func note(_ text: String) { Console.error("transferctl: \(text)".printable) }
    mutating func end() {}
    // Most renderers write at once.
    var isDirty: Bool { false }
    mutating func flush() {}
}
