// SPDX-License-Identifier: Apache-2.0

/// The names of the daemon on the bus.
package enum TransferBusName {
    /// The well-known name.
    package static let service = "org.transferd"
    /// The manager's object.
    package static let managerPath = "/org/transferd/Manager"
    /// The manager's interface.
    package static let managerInterface = "org.transferd.Manager1"
    /// Below it lies an object for each transfer, named by its number.
    package static let transfersPath = "/org/transferd/transfer"
    /// A transfer's interface.
    package static let transferInterface = "org.transferd.Transfer1"
    /// Below it lies an object for each session.
    package static let sessionsPath = "/org/transferd/session"
    /// A session's interface.
    package static let sessionInterface = "org.transferd.Session1"
    /// The interface that an app offers on its own name, to be called when its sessions need it.
    package static let appInterface = "org.transferd.App1"
    /// The interface by which D-Bus reads properties.
    package static let properties = "org.freedesktop.DBus.Properties"
    /// What the names of its errors begin with.
    package static let errorPrefix = "org.transferd.Error."

    /// The object of the app of that name, as the Desktop Entry Specification has it for org.freedesktop.Application.
    package static func appPath(of name: String) -> String {
        "/" + name.replacing(".", with: "/").replacing("-", with: "_")
    }
}
