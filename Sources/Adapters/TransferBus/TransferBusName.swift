// SPDX-License-Identifier: Apache-2.0

/// The names of the daemon on the bus.
package enum TransferBusName {
    /// The well-known name.
    package static let service = "org.transferd"
    /// The manager's object.
    package static let managerPath = "/org/transferd/Manager"
    /// The manager's interface.
    package static let managerInterface = "org.transferd.Manager1"
    /// What the names of its errors begin with.
    package static let errorPrefix = "org.transferd.Error."
}
