// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Reads the modems that ModemManager manages.
enum ModemManagerReader {
    private static let name = "org.freedesktop.ModemManager1"
    private static let objectPath = "/org/freedesktop/ModemManager1"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"

    /// Returns a reader of ModemManager.
    static func make(
        on executor: GLibExecutor, timeLimit: Duration, deliver: @escaping (Availability<[VariantValue]>) -> Void
    ) -> ServiceReader<[VariantValue]> {
        typealias Hint = ServiceReader<[VariantValue]>.Hint
        // Not the modem's main interface, whose signal strength changes all the time.
        let changes = [".Modem3gpp", ".ModemCdma"].map { interface in
            Hint(
                interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                firstArgument: "\(name).Modem" + interface)
        }
        let appearances = ["InterfacesAdded", "InterfacesRemoved"].map { member in
            Hint(interface: objectManager, member: member, path: objectPath)
        }
        return ServiceReader(
            on: executor, name: name, timeLimit: timeLimit, hints: changes + appearances,
            read: { bus, cancellation, done in
                bus.ask(
                    "GetManagedObjects", of: objectManager, at: objectPath, service: name, cancellation: cancellation
                ) { result in
                    // An error means that the service's object does not exist yet. `InterfacesAdded` or the time limit
                    // follows.
                    guard case .success(let values) = result else { return done(nil) }
                    done(.value(values))
                }
            }, deliver: deliver)
    }
}
