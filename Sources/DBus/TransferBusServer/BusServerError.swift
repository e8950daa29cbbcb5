// SPDX-License-Identifier: Apache-2.0
internal import TransferBusProtocol

/// An error that states why the daemon cannot be on the bus.
package struct BusServerError: Error, Hashable, CustomStringConvertible {
    /// The reason that the server has ended or cannot start.
    package var end: BusServer.End

    /// Creates an error from the reason for the end.
    package init(end: BusServer.End) { self.end = end }

    package var description: String {
        switch end {
        case .noBus(let why):
            "cannot use the bus: \(why). Check DBUS_SESSION_BUS_ADDRESS, or specify a bus with --bus."
        case .nameTaken:
            "another process already owns \(TransferBusName.service) on this bus; see 'transferctl service status'"
        case .stopped: "the daemon is shutting down"
        }
    }
}
