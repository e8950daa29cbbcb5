// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Reads the power source and the battery from UPower, with its display device, which combines all batteries.
///
/// The bus starts UPower if it can. A hang is detected when the kernel announces a change of power, because the readers
/// then read again.
enum UPowerReader {
    private static let name = "org.freedesktop.UPower"
    private static let path = "/org/freedesktop/UPower"
    private static let devicePath = path + "/devices/DisplayDevice"

    /// Creates a reader.
    static func make(
        on executor: GLibExecutor, timeLimit: Duration, deliver: @escaping (Availability<UPowerProperties>) -> Void
    ) -> ServiceReader<UPowerProperties> {
        typealias Hint = ServiceReader<UPowerProperties>.Hint
        let changes = [(path, name), (devicePath, name + ".Device")].map { path, interface in
            Hint(
                interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged", path: path,
                firstArgument: interface)
        }
        return ServiceReader(
            on: executor, name: name, startsService: true, timeLimit: timeLimit, hints: changes,
            read: { bus, cancellation, done in
                bus.properties(of: name, at: path, service: name, cancellation: cancellation) {
                    [weak cancellation] result in
                    guard case .success(let manager) = result, let cancellation else { return done(.absent) }
                    bus.properties(
                        of: name + ".Device", at: devicePath, service: name, cancellation: cancellation
                    ) { result in
                        let properties = UPowerProperties(manager: manager, device: (try? result.get()) ?? [:])
                        done(properties.decoded == nil ? .absent : .value(properties))
                    }
                }
            }, deliver: deliver)
    }
}

extension UPowerProperties {
    /// Takes the properties out of those of UPower's two objects. Values of other types count as 0 or false.
    fileprivate init(manager: [String: VariantValue], device: [String: VariantValue]) {
        func number(_ name: String) -> UInt32 { device[name]?.integer.flatMap(UInt32.init(exactly:)) ?? 0 }
        var percentage = 0.0
        if case .double(let number)? = device["Percentage"] { percentage = number }
        self.init(
            daemonVersion: manager["DaemonVersion"]?.string, isOnBattery: manager["OnBattery"] == .bool(true),
            isPresent: device["IsPresent"] == .bool(true), kind: number("Type"), state: number("State"),
            warningLevel: number("WarningLevel"), percentage: percentage)
    }
}
