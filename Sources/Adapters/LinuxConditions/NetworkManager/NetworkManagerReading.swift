// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// The raw properties, as NetworkManager gives them.
struct NetworkManagerProperties: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey {
        case properties
        case connectionID = "connection"
    }

    /// Those of `org.freedesktop.NetworkManager`.
    var properties: [String: VariantValue]
    /// The primary connection's `Id`.
    var connectionID: String?
}

/// What NetworkManager says, decoded.
struct NetworkManagerReading: Hashable, Sendable {
    /// Whether the primary connection costs.
    var metered: Metered
    /// What can be reached, where it is less than everything; nil when nothing speaks against the internet.
    var restriction: Reachability?
    /// The object of the primary connection; nil when there is none.
    var primaryConnection: String?
    /// What the primary connection goes over; nil where its type does not tell.
    var primaryKind: LinkKind?
    /// The primary connection's name.
    var connectionID: String?

    /// Reads all of them.
    init(_ raw: NetworkManagerProperties) {
        self.init(properties: raw.properties)
        connectionID = raw.connectionID
    }

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
        primaryKind = primaryConnection == nil ? nil : Self.kind(of: properties["PrimaryConnectionType"])
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

    /// The kind of link that a connection's type stands for.
    private static func kind(of type: VariantValue?) -> LinkKind? {
        switch type {
        case .string("802-3-ethernet"), .string("pppoe"), .string("adsl"): .ethernet
        case .string("802-11-wireless"), .string("802-11-olpc-mesh"): .wifi
        case .string("gsm"), .string("cdma"), .string("wimax"): .cellular
        case .string("bluetooth"): .bluetooth
        default: nil
        }
    }
}
