// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
package import TransferSessions

/// Calling apps by their names, which has the bus start those that do not run.
extension BusPrograms {
    /// The time that an app may take to start and to take the call.
    private static let launchSeconds: Int32 = 30

    /// Has an app deal with a session's events. Returns when it has taken the call, or when it is clear that it does not.
    package func launch(busName name: String, for session: String) async -> LaunchOutcome {
        guard bus != nil else { return .silent("the bus has gone") }
        let result = await call(
            "HandleEventsForBackgroundURLSession", of: TransferBusName.appInterface,
            at: TransferBusName.appPath(of: name),
            service: name, [.string(session)], type: "(s)", milliseconds: Self.launchSeconds * 1000)
        let answer = try? await ask("GetConnectionUnixProcessID", [.string(name)]).get()
        let process = answer?.first?.integer.flatMap(Int32.init(exactly:))
        switch result {
        case .success: return .started(process: process)
        case .failure(let error): return LaunchOutcome(error, of: name, isThere: process != nil)
        }
    }
}

extension LaunchOutcome {
    /// The outcome that an error means for the app that was called by its name.
    ///
    /// - Parameter isThere: whether somebody has the name now.
    init(_ error: BusCallError, of name: String, isThere: Bool) {
        let prefix = "org.freedesktop.DBus.Error."
        let kind = error.name.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        switch kind {
        case "": self = .missing("'\(name)' cannot be called: \(error.message)")
        case "ServiceUnknown", "NameHasNoOwner", "Spawn.ServiceNotFound", "Spawn.ExecFailed", "Spawn.FileInvalid",
            "Spawn.ConfigInvalid", "Spawn.PermissionsInvalid":
            self = .missing("the bus cannot start '\(name)': \(error.message)")
        case "UnknownMethod", "UnknownObject", "UnknownInterface":
            self = .missing(
                "'\(name)' runs and has no \(TransferBusName.appInterface) at \(TransferBusName.appPath(of: name)): "
                    + error.message)
        case let kind? where kind.hasPrefix("Spawn."):
            self = .crashed("'\(name)' ended before it took the call: \(error.message)")
        case "NoReply" where !isThere, "Disconnected" where !isThere:
            self = .crashed("'\(name)' ended before it had answered: \(error.message)")
        case nil, "TimedOut", "Timeout", "NoReply", "Disconnected":
            self = .silent("'\(name)' did not take the call: \(error.message)")
        case let kind?:
            self = .silent("'\(name)' refused the call: \(error.message) (\(kind))")
        }
    }
}
