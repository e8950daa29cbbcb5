// SPDX-License-Identifier: Apache-2.0

/// The names of the daemon on the bus.
package enum TransferBusName {
    /// The daemon's well-known bus name.
    package static let service = "org.transferd"
    /// The path of the manager's object.
    package static let managerPath = "/org/transferd/Manager"
    /// The manager's interface.
    package static let managerInterface = "org.transferd.Manager1"
    /// The path below which each session has an object.
    package static let sessionsPath = "/org/transferd/session"
    /// The interface of a session's object.
    package static let sessionInterface = "org.transferd.Session1"
    /// The interface that an app exports on its own bus name. The daemon calls the interface if a session needs the
    /// app.
    package static let appInterface = "org.transferd.App1"
    /// The path of the object with the conditions for other programs.
    package static let conditionsPath = "/org/transferd/Conditions"
    /// The interface of the conditions for other programs.
    package static let conditionsInterface = "org.transferd.Conditions1"
    /// The standard interface for reading properties.
    package static let properties = "org.freedesktop.DBus.Properties"
    /// The prefix of the daemon's error names.
    package static let errorPrefix = "org.transferd.Error."

    /// Returns the path of an app's object, as the Desktop Entry Specification defines it for
    /// org.freedesktop.Application.
    package static func appPath(of name: String) -> String {
        "/" + name.replacing(".", with: "/").replacing("-", with: "_")
    }
}
