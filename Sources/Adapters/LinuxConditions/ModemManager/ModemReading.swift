// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// The decoded state of one modem that ModemManager manages.
struct ModemReading: Hashable, Sendable {
    /// Whether the modem is registered in a foreign network.
    var roaming: Roaming
    /// The names of the modem's network interfaces.
    var interfaces: Set<String>

    /// Returns all modems among the objects that ModemManager manages, sorted by object path. Missing and invalid
    /// properties count as unknown.
    static func modems(inReply values: [VariantValue]) -> [ModemReading] {
        guard case .dictionary(let objects)? = values.first else { return [] }
        return objects.sorted { $0.key < $1.key }.compactMap { _, object in
            guard case .dictionary(let interfaces) = object else { return nil }
            func properties(_ name: String) -> [String: VariantValue]? {
                guard case .dictionary(let properties)? = interfaces["org.freedesktop.ModemManager1.Modem" + name]
                else { return nil }
                return properties
            }
            guard let modem = properties("") else { return nil }
            return ModemReading(modem: modem, gsm: properties(".Modem3gpp"), cdma: properties(".ModemCdma"))
        }
    }

    /// Decodes the properties of a modem's interfaces. Each of `gsm` and `cdma` is `nil` if the modem does not have the
    /// interface.
    init(modem: [String: VariantValue], gsm: [String: VariantValue]?, cdma: [String: VariantValue]?) {
        interfaces = Self.networkInterfaces(modem["Ports"])
        let states = [
            Self.roaming(of: gsm?["RegistrationState"]), Self.cdmaRoaming(of: cdma?["EvdoRegistrationState"]),
            Self.cdmaRoaming(of: cdma?["Cdma1xRegistrationState"]),
        ]
        roaming = states.contains(.yes) ? .yes : states.contains(.no) ? .no : .unknown
    }

    /// Returns the roaming state of a link over `device`. The device's modem decides, or all modems if none is known to
    /// drive the device.
    static func roaming(over device: String?, of modems: [ModemReading]) -> Roaming {
        let own = modems.filter { modem in device.map(modem.interfaces.contains) ?? false }
        let words = (own.isEmpty ? modems : own).map(\.roaming)
        return words.contains(.yes) ? .yes : words.contains(.unknown) || words.isEmpty ? .unknown : .no
    }

    /// Decodes MMModem3gppRegistrationState. Home and roaming each have variants for text messages only and without
    /// circuit-switched fallback.
    private static func roaming(of state: VariantValue?) -> Roaming {
        switch state {
        case .integer(5), .integer(7), .integer(10): .yes
        case .integer(1), .integer(6), .integer(9): .no
        default: .unknown
        }
    }

    /// Decodes MMModemCdmaRegistrationState.
    private static func cdmaRoaming(of state: VariantValue?) -> Roaming {
        switch state {
        case .integer(3): .yes
        case .integer(2): .no
        default: .unknown
        }
    }

    /// Returns the names of the ports of type 2, "net". Each port is a pair of a name and a type.
    private static func networkInterfaces(_ ports: VariantValue?) -> Set<String> {
        guard case .list(let ports)? = ports else { return [] }
        return Set(
            ports.compactMap { port in
                guard case .list(let fields) = port, fields.count == 2, case .string(let name) = fields[0],
                    fields[1] == .integer(2)
                else { return nil }
                return name
            })
    }
}
