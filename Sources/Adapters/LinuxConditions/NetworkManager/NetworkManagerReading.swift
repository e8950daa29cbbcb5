// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// What NetworkManager says, decoded.
struct NetworkManagerReading: Hashable, Sendable {
    /// Whether the primary connection costs.
    var metered: Metered
    /// What can be reached, where it is less than everything; nil when nothing speaks against the internet.
    var restriction: Reachability?
    /// The object of the primary connection; nil when there is none.
    var primaryConnection: String?
    /// The primary connection's name.
    var connectionID: String?

    /// Reads the properties of `org.freedesktop.NetworkManager`; missing and odd ones count as unknown.
    init(properties: [String: VariantValue]) {
        if case .string(let path)? = properties["PrimaryConnection"], path != "/", !path.isEmpty {
            primaryConnection = path
        }
        metered =
            switch properties["Metered"] {
            case .integer(1): .yes
            case .integer(2): .no
            case .integer(3): .guessYes
            case .integer(4): .guessNo
            default: .unknown
            }
        // Without a primary connection it speaks of devices that it does not manage.
        guard primaryConnection != nil else { return }
        restriction =
            switch properties["Connectivity"] {
            case .integer(1): Reachability.none
            case .integer(2): .portal
            case .integer(3): .limited
            default: nil
            }
    }
}
