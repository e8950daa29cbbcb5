// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import TransferBusClient
import TransferBusProtocol

/// Measures the call rate and the latency of one client that makes its calls one after the other.
///
/// The daemon is compared with a bare echo service.
enum BusMeter {
    /// Prints a line for each kind of call: its name, calls per second, and p50 and p99 in milliseconds.
    static func run(at address: String, calls: Int) async throws {
        let echo = EchoService()
        try await echo.start(address: address)
        let client = BusClient()
        try await client.connect(address: address)
        try await client.own("org.example.Meter")
        let transfer: [String: VariantValue] = [
            "url": .string("http://127.0.0.1:9/f"), "not-before": .string("2200-01-01T00:00:00Z"),
        ]
        for _ in 0..<10 { _ = try await client.call("Submit", [.list([.dictionary(transfer)])], type: "(aa{sv})") }
        try await measure("echo", calls) { try await echo.callEcho() }
        try await measure("list", calls) { _ = try await client.call("List", [.dictionary([:])], type: "(a{sv})") }
        try await measure("submit", min(calls, 2000)) {
            _ = try await client.call("Submit", [.list([.dictionary(transfer)])], type: "(aa{sv})")
        }
        let rows = try await client.call("List", [.dictionary([:])], type: "(a{sv})").first?.items ?? []
        _ = try await client.call("Cancel", [.list(rows.compactMap { $0.dictionary?["id"] })], type: "(ax)")
        await client.close()
        await echo.stop()
    }

    private static func measure(_ name: String, _ count: Int, _ call: () async throws -> Void) async throws {
        for _ in 0..<50 { try await call() }
        let tally = StressTally()
        let begun = ContinuousClock.now
        for _ in 0..<count {
            let start = ContinuousClock.now
            try await call()
            tally.record(ContinuousClock.now - start)
        }
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        print("\(name) \(Double(count) / seconds) \(tally.milliseconds(at: 0.5)) \(tally.milliseconds(at: 0.99))")
    }
}

/// A service that returns its arguments. The service and its caller each have their own connection and thread.
private actor EchoService {
    private let executor = GLibExecutor(name: "echo")
    private var bus: BusConnection?
    private var registration: BusRegistration?
    private let caller = EchoCaller()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    static let name = "org.example.Echo"
    private static let xml = """
        <node><interface name="org.example.Echo"><method name="Echo">
          <arg type="a{sv}" direction="in"/><arg type="a{sv}" direction="out"/>
        </method></interface></node>
        """
    private var owning: BusRegistration?

    func start(address: String) async throws {
        try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
            BusConnection.open(address: address, cancellation: Cancellation()) { result in
                nonisolated(unsafe) let result = result
                self.assumeIsolated { service in
                    do {
                        let bus = try result.get()
                        service.bus = bus
                        service.registration = try bus.export(Self.name, describedBy: Self.xml, at: "/echo") { call in
                            call.reply(call.arguments)
                        }
                        var waiting: CheckedContinuation<Void, any Error>? = ready
                        service.owning = bus.own(Self.name) { _ in
                            waiting?.resume()
                            waiting = nil
                        }
                    } catch {
                        ready.resume(throwing: error)
                    }
                }
            }
        }
        try await caller.start(address: address)
    }

    nonisolated func callEcho() async throws { try await caller.callEcho() }

    func stop() async {
        await caller.stop()
        (registration, owning) = (nil, nil)
        bus?.close()
        await executor.stop()
    }
}

/// The client of `EchoService`.
private actor EchoCaller {
    private let executor = GLibExecutor(name: "echo-caller")
    private var bus: BusConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func start(address: String) async throws {
        try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
            BusConnection.open(address: address, cancellation: Cancellation()) { result in
                nonisolated(unsafe) let result = result
                self.assumeIsolated { caller in
                    caller.bus = try? result.get()
                    ready.resume(with: result.map { _ in }.mapError { $0 })
                }
            }
        }
    }

    func callEcho() async throws {
        guard let bus else { return }
        _ = try await withCheckedThrowingContinuation { continuation in
            do {
                try bus.call(
                    "Echo", of: EchoService.name, at: "/echo", service: EchoService.name, [.dictionary([:])],
                    type: "(a{sv})", milliseconds: 10_000
                ) { continuation.resume(with: $0.mapError { $0 }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    func stop() async {
        bus?.close()
        await executor.stop()
    }
}
