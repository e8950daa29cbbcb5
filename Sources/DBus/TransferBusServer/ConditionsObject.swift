// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The object that publishes one verdict for other programs: is this a good moment for background work?
///
/// Used only on the server's thread.
final class ConditionsObject {
    private let connection: ServerConnection
    private(set) var properties: [String: VariantValue] = [:]

    /// Creates an object that is not good for anything yet.
    init(over connection: ServerConnection, since now: WallTime) {
        self.connection = connection
        properties = Self.properties(
            of: DiscretionaryReport(discretionary: false, reasons: [], onAC: "unknown", metered: "unknown", since: now))
    }

    /// Publishes a report, and signals the changed properties to all subscribers on the bus.
    func publish(_ report: DiscretionaryReport) {
        let new = Self.properties(of: report)
        let changed = new.filter { properties[$0.key] != $0.value }
        properties = new
        guard !changed.isEmpty else { return }
        try? connection.bus?.emit(
            "PropertiesChanged", of: TransferBusName.properties, at: TransferBusName.conditionsPath, to: nil,
            [.string(TransferBusName.conditionsInterface), .dictionary(changed), .list([])], type: "(sa{sv}as)")
    }

    private static func properties(of report: DiscretionaryReport) -> [String: VariantValue] {
        [
            "Discretionary": .bool(report.discretionary),
            "Reasons": .typed("as", .list(report.reasons.map(VariantValue.string))),
            "OnAC": .string(report.onAC), "Metered": .string(report.metered),
            "Since": .string(BusDate(report.since).description),
        ]
    }

    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Conditions1: one verdict for programs that transfer nothing with the daemon. Every program on
            the bus may read the properties. Changes are sent to all subscribers with PropertiesChanged, and every
            signal contains the changed values.
          -->
          <interface name="org.transferd.Conditions1">
            <!--
              Whether the moment is good for background work: the verdict of the policy 'default' on a discretionary
              transfer without a deadline. The conditions must be stable for some seconds before the value becomes true.
              False before the first reading.
            -->
            <property name="Discretionary" type="b" access="read"/>
            <!--
              The codes of the reasons why Discretionary is false, such as onBattery, metered, noNetwork, settling, and
              held. Empty while Discretionary is true, and before the first reading.
            -->
            <property name="Reasons" type="as" access="read"/>
            <!-- Whether the machine is on AC power: yes, no, or unknown. -->
            <property name="OnAC" type="s" access="read"/>
            <!--
              Whether the network costs money: yes, no, or unknown. The network below a VPN counts, and the user's
              setting for a connection (transferctl network).
            -->
            <property name="Metered" type="s" access="read"/>
            <!-- The date from which Discretionary has had its value (RFC 3339). -->
            <property name="Since" type="s" access="read"/>
          </interface>
        </node>
        """
}
