// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import Synchronization
import TransferBusProtocol

/// A fake systemd manager that starts the requested units with its own environment and records the requests.
final class FakeSystemd: Sendable {
    /// A request to start a unit.
    struct Order: Sendable {
        var unit: String
        var properties: [String: VariantValue]

        /// The command with its arguments, without the program's path before it.
        var command: [String] { start.count > 1 ? start[1].items.compactMap(\.string) : [] }
        var flags: [String] { start.count > 2 ? start[2].items.compactMap(\.string) : [] }
        private var start: [VariantValue] { properties["ExecStartEx"]?.items.first?.items ?? [] }
    }

    private struct State {
        var orders: [Order] = []
        var processes: [Process] = []
        var result: [String: VariantValue] = [:]
        var released: [String] = []
    }

    private static let unitPath = "/org/freedesktop/systemd1/unit/started"
    private let state = Mutex(State())
    private let environment: [String: String]
    private let service = Mutex<FakeService?>(nil)

    /// - Parameter environment: The environment of each started program, before the variables of its unit.
    init(environment: [String: String] = [:]) { self.environment = environment }

    /// The requests to start a unit, in order.
    var orders: [Order] { state.withLock(\.orders) }
    /// The units that the daemon has released with `UnrefUnit`.
    var released: [String] { state.withLock(\.released) }

    /// Claims systemd's name on the bus at `address`.
    func start(address: String) async throws {
        let played = FakeService(
            FakeService.Interface(
                name: "org.freedesktop.systemd1.Manager", path: "/org/freedesktop/systemd1",
                members: """
                    <method name="Subscribe"/>
                    <method name="StartTransientUnit">
                      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a(sv)" direction="in"/>
                      <arg type="a(sa(sv))" direction="in"/><arg type="o" direction="out"/>
                    </method>
                    <method name="GetUnit"><arg type="s" direction="in"/><arg type="o" direction="out"/></method>
                    <method name="UnrefUnit"><arg type="s" direction="in"/></method>
                    <signal name="JobRemoved"><arg type="u"/><arg type="o"/><arg type="s"/><arg type="s"/></signal>
                    """, reply: { [weak self] in self?.reply($1, $0) ?? [] }),
            FakeService.Interface(
                name: "org.freedesktop.systemd1.Service", path: Self.unitPath,
                members: #"<property name="MainPID" type="u" access="read"/>"#,
                reply: { [weak self] _, _ in [.dictionary(self?.state.withLock(\.result) ?? [:])] }))
        try await played.start(address: address, as: "org.freedesktop.systemd1")
        service.withLock { $0 = played }
    }

    private func reply(_ call: BusCall, _ service: isolated FakeService) -> [VariantValue] {
        switch call.method {
        case "StartTransientUnit":
            let pairs = call.arguments[2].items.map { ($0.items[0].string ?? "", $0.items[1]) }
            let order = Order(
                unit: call.arguments[0].string ?? "", properties: Dictionary(pairs) { first, _ in first })
            let (result, properties) = run(order)
            state.withLock {
                $0.orders.append(order)
                $0.result = properties
            }
            let job = "/org/freedesktop/systemd1/job/\(orders.count)"
            try? service.emit(
                "JobRemoved", [.integer(1), .string(job), .string(order.unit), .string(result)], type: "(uoss)")
            return [.string(job)]
        case "GetUnit": return [.string(Self.unitPath)]
        case "UnrefUnit":
            state.withLock { $0.released.append(call.arguments[0].string ?? "") }
            return []
        default: return []
        }
    }

    /// Starts a program as systemd does: the program inherits nothing.
    private func run(_ order: Order) -> (result: String, properties: [String: VariantValue]) {
        let process = Process()
        var variables = environment
        for text in order.properties["Environment"]?.items.compactMap(\.string) ?? [] {
            let components = text.split(separator: "=", maxSplits: 1).map(String.init)
            variables[components[0]] = components.count > 1 ? components[1] : ""
        }
        process.environment = variables
        process.executableURL = URL(fileURLWithPath: order.command.first ?? "/")
        process.arguments = Array(order.command.dropFirst())
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
        do {
            try process.run()
        } catch {
            return ("failed", ["Result": .string("exit-code"), "ExecMainStatus": .integer(203)])
        }
        state.withLock { $0.processes.append(process) }
        return ("done", ["Result": .string("success"), "MainPID": .integer(Int64(process.processIdentifier))])
    }

    /// Ends the started programs and releases the bus name.
    func stop() async {
        for process in state.withLock(\.processes) where process.isRunning { process.terminate() }
        let played = service.withLock { service in
            defer { service = nil }
            return service
        }
        await played?.stop()
    }
}
