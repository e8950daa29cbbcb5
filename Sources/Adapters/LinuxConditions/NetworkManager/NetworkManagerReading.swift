// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// NetworkManager's properties, before decoding.
struct NetworkManagerProperties: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey {
        case properties
        case connectionID = "connection"
    }

    /// The properties of the interface `org.freedesktop.NetworkManager`.
    var properties: [String: VariantValue]
    /// The `Id` of the primary connection.
    var connectionID: String?
}

/// The decoded state of NetworkManager.
struct NetworkManagerReading: Hashable, Sendable {
    /// Whether the primary connection is metered.
    var metered: Metered
    /// The reachability, if NetworkManager reports less than full access; otherwise `nil`.
    var restriction: Reachability?
    /// The object path of the primary connection; `nil` if there is none.
    var primaryConnection: String?
    /// The kind of link under the primary connection; `nil` if the connection's type does not determine it.
    var primaryKind: LinkKind?
    /// The name of the primary connection.
    var connectionID: String?

    /// Decodes the properties and copies the connection's name.
    init(_ raw: NetworkManagerProperties) {
        self.init(properties: raw.properties)
        connectionID = raw.connectionID
    }

    /// Decodes the properties of `org.freedesktop.NetworkManager`. Missing and invalid values count as unknown.
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
        // Without a primary connection, connectivity describes devices that NetworkManager does not manage.
        guard primaryConnection != nil else { return }
        restriction =
            switch properties["Connectivity"] {
            case .integer(1): Reachability.none
            case .integer(2): .portal
            case .integer(3): .limited
            default: nil
            }
    }

    /// Returns the kind of link for a connection's type; `nil` if the type does not determine the kind.
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
