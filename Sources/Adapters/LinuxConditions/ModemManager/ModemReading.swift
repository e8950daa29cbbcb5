// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// What ModemManager says of one modem, decoded.
struct ModemReading: Hashable, Sendable {
    /// Whether it is registered in a foreign network.
    var roaming: Roaming
    /// The names of its network interfaces.
    var interfaces: Set<String>

    /// All modems among the objects that ModemManager manages, by path; missing and odd properties count as unknown.
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

    /// Reads the properties of one modem's interfaces; nil where it does not have one.
    init(modem: [String: VariantValue], gsm: [String: VariantValue]?, cdma: [String: VariantValue]?) {
        interfaces = Self.networkInterfaces(modem["Ports"])
        let states = [
            Self.roaming(of: gsm?["RegistrationState"]), Self.cdmaRoaming(of: cdma?["EvdoRegistrationState"]),
            Self.cdmaRoaming(of: cdma?["Cdma1xRegistrationState"]),
        ]
        roaming = states.contains(.yes) ? .yes : states.contains(.no) ? .no : .unknown
    }

    /// Whether a link over `device` roams: its modem's word, or all modems' where none is known to drive it.
    static func roaming(over device: String?, of modems: [ModemReading]) -> Roaming {
        let own = modems.filter { modem in device.map(modem.interfaces.contains) ?? false }
        let words = (own.isEmpty ? modems : own).map(\.roaming)
        return words.contains(.yes) ? .yes : words.contains(.unknown) || words.isEmpty ? .unknown : .no
    }

    /// MMModem3gppRegistrationState: home and roaming, each also for text messages only and without circuit-switched
    /// fallback.
    private static func roaming(of state: VariantValue?) -> Roaming {
        switch state {
        case .integer(5), .integer(7), .integer(10): .yes
        case .integer(1), .integer(6), .integer(9): .no
        default: .unknown
        }
    }

    /// MMModemCdmaRegistrationState.
    private static func cdmaRoaming(of state: VariantValue?) -> Roaming {
        switch state {
        case .integer(3): .yes
        case .integer(2): .no
        default: .unknown
        }
    }

    /// The ports of type 2, "net"; each port is a name and a type.
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
