// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
package import TransferSessions

/// Launching apps by their bus names. The bus starts an app that is not running.
extension BusPrograms {
    /// The maximum number of seconds for an app to start and reply to the call.
    private static let launchSeconds: Int32 = 30

    /// Asks an app to handle a session's events. Returns after the app replies, or after the call fails.
    package func launch(busName name: String, for session: String) async -> LaunchOutcome {
        guard bus != nil else { return .silent("the bus connection is closed") }
        let result = await call(
            "HandleEventsForBackgroundURLSession", of: TransferBusName.appInterface,
            at: TransferBusName.appPath(of: name),
            service: name, [.string(session)], type: "(s)", milliseconds: Self.launchSeconds * 1000)
        let reply = try? await ask("GetConnectionUnixProcessID", [.string(name)]).get()
        let process = reply?.first?.integer.flatMap(Int32.init(exactly:))
        switch result {
        case .success: return .started(process: process)
        case .failure(let error): return LaunchOutcome(error, of: name, isThere: process != nil)
        }
    }
}

extension LaunchOutcome {
    /// Interprets the error of a call to an app by its bus name.
    ///
    /// - Parameter isThere: Whether the name has an owner now.
    init(_ error: BusCallError, of name: String, isThere: Bool) {
        let prefix = "org.freedesktop.DBus.Error."
        let kind = error.name.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        switch kind {
        case "": self = .missing("cannot call '\(name)': \(error.message)")
        case "ServiceUnknown", "NameHasNoOwner", "Spawn.ServiceNotFound", "Spawn.ExecFailed", "Spawn.FileInvalid",
            "Spawn.ConfigInvalid", "Spawn.PermissionsInvalid":
            self = .missing("the bus cannot start '\(name)': \(error.message)")
        case "UnknownMethod", "UnknownObject", "UnknownInterface":
            self = .missing(
                "'\(name)' is running but has no \(TransferBusName.appInterface) at \(TransferBusName.appPath(of: name)): "
                    + error.message)
        case let kind? where kind.hasPrefix("Spawn."):
            self = .crashed("'\(name)' ended before it accepted the call: \(error.message)")
        case "NoReply" where !isThere, "Disconnected" where !isThere:
            self = .crashed("'\(name)' ended before it replied: \(error.message)")
        case nil, "TimedOut", "Timeout", "NoReply", "Disconnected":
            self = .silent("'\(name)' did not accept the call: \(error.message)")
        case let kind?:
            self = .silent("'\(name)' refused the call: \(error.message) (\(kind))")
        }
    }
}
