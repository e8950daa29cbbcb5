// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A fake desktop service: one or more objects on a bus, and the bus names that they are found by.
actor FakeService {
    /// An interface of the service, with the replies to its calls.
    struct Interface: Sendable {
        var name: String
        var path: String
        /// The interface's methods and signals, in the XML of introspection documents.
        var members: String
        var reply: @Sendable (_ service: isolated FakeService, _ call: BusCall) -> [VariantValue]
    }

    private let executor = GLibExecutor(name: "played-service")
    private let interface: Interface
    private let others: [Interface]
    private var bus: BusConnection?
    private var objects: [BusRegistration] = []
    private var names: [BusRegistration] = []
    /// The arguments of each call to the first interface so far.
    private(set) var calls: [[VariantValue]] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter others: Further interfaces of the same service. Calls to them are not recorded.
    init(_ interface: Interface, _ others: Interface...) {
        self.interface = interface
        self.others = others
    }

    /// Connects to the bus at `address`, exports the objects and claims the names.
    func start(address: String, as names: String...) async throws {
        try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
            BusConnection.open(address: address, cancellation: Cancellation()) { result in
                nonisolated(unsafe) let result = result
                self.assumeIsolated { service in
                    do {
                        let bus = try result.get()
                        service.bus = bus
                        try service.export(on: bus)
                        ready.resume()
                    } catch {
                        ready.resume(throwing: error)
                    }
                }
            }
        }
        for name in names { await own(name) }
    }

    private func export(on bus: BusConnection) throws {
        for (index, interface) in ([interface] + others).enumerated() {
            let xml = "<node><interface name=\"\(interface.name)\">\(interface.members)</interface></node>"
            objects.append(
                try bus.export(interface.name, describedBy: xml, at: interface.path) { call in
                    self.assumeIsolated { service in
                        if index == 0 { service.calls.append(call.arguments) }
                        call.reply(interface.reply(service, call))
                    }
                })
        }
    }

    private func own(_ name: String) async {
        guard let bus else { return }
        await withCheckedContinuation { (ready: CheckedContinuation<Void, Never>) in
            var waiting: CheckedContinuation<Void, Never>? = ready
            names.append(
                bus.own(name) { _ in
                    waiting?.resume()
                    waiting = nil
                })
        }
    }

    /// Emits a signal, without arguments by default, from the first interface and its object unless others are named.
    func emit(
        _ signal: String, of interface: String? = nil, at path: String? = nil, _ values: [VariantValue] = [],
        type: String = "()"
    ) throws {
        try bus?.emit(
            signal, of: interface ?? self.interface.name, at: path ?? self.interface.path, to: nil, values, type: type)
    }

    func stop() async {
        names = []
        objects = []
        bus?.close()
        await executor.stop()
    }
}
