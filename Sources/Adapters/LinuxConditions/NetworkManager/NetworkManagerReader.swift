// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// Reads NetworkManager's own properties and the name of the primary connection.
enum NetworkManagerReader {
    private static let name = "org.freedesktop.NetworkManager"
    private static let objectPath = "/org/freedesktop/NetworkManager"

    /// Returns a reader of NetworkManager.
    static func make(
        on executor: GLibExecutor, timeLimit: Duration,
        deliver: @escaping (Availability<NetworkManagerProperties>) -> Void
    ) -> ServiceReader<NetworkManagerProperties> {
        ServiceReader(
            on: executor, name: name, timeLimit: timeLimit,
            hints: [
                .init(
                    interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged", path: objectPath,
                    firstArgument: name),
                .init(
                    interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded",
                    path: "/org/freedesktop", firstArgument: objectPath, isFirstArgumentPath: true),
            ], read: read, deliver: deliver)
    }

    private static func read(
        _ bus: BusConnection, _ cancellation: Cancellation,
        _ done: @escaping (Availability<NetworkManagerProperties>?) -> Void
    ) {
        bus.properties(of: name, at: objectPath, service: name, cancellation: cancellation) {
            [weak cancellation] result in
            // An error means that the service's object does not exist yet. `InterfacesAdded` or the time limit
            // follows.
            guard case .success(let properties) = result, let cancellation else { return done(nil) }
            var raw = NetworkManagerProperties(properties: properties)
            guard let path = NetworkManagerReading(raw).primaryConnection else { return done(.value(raw)) }
            bus.property(
                "Id", of: "\(name).Connection.Active", at: path, service: name, cancellation: cancellation
            ) { result in
                if case .success(.string(let id)) = result { raw.connectionID = id }
                done(.value(raw))
            }
        }
    }
}
