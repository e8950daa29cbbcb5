// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import LinuxConditions
import Logging
import ServiceLifecycle
import ToolSupport
import TransferBusServer
import TransferEngine
import TransferModel
import UnixSignals

/// The small service that only publishes conditions: on a bus, and as files with which systemd drives targets.
///
/// It has no queue, transfers nothing, and needs no rights.
struct ConditionsService {
    let sysfsRoot: String
    /// The address of the bus; `nil` to publish files only.
    let bus: String?
    /// The folder for the files.
    let folder: String
    let logger: Logger

    /// Runs until SIGTERM or SIGINT, or until the bus is lost.
    func run() async throws {
        try AdapterFactory.checkOverrides()
        let alarm = try AdapterFactory.alarm()
        let conditions = AdapterFactory.conditions(sysfsRoot: sysfsRoot, alarm: alarm, delaysSleep: false)
        let server = bus.map { _ in ConditionsServer(since: alarm.now().wall) }
        let files = ConditionFiles(folder: folder)
        let notifier = ServiceNotifier()
        let publisher = ConditionsPublisher(alarm: alarm) { report in
            do { try files.write(report) } catch { logger.error("\(error)") }
            await server?.publish(report)
            notifier?.send("READY=1\nSTATUS=\(report.summary)")
        }
        var services: [any Service] = [Publishing(snapshots: conditions.snapshots(), publisher: publisher)]
        if let bus, let server {
            // The targets work without a bus.
            do {
                try await server.start(address: bus)
                services.append(BusWatch(server: server))
            } catch {
                logger.error("conditions are not published on the bus: \(error)")
            }
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger))
        try await group.run()
        await conditions.stop()
    }

    /// Ends the service when the bus is lost, so that systemd starts it again.
    private struct BusWatch: Service {
        let server: ConditionsServer

        func run() async throws {
            let end = await withGracefulShutdownHandler {
                await server.ended()
            } onGracefulShutdown: {
                Task { await server.stop() }
            }
            guard end != .stopped else { return }
            throw BusServerError(end: end)
        }
    }

    /// Passes the machine's conditions to the publisher.
    private struct Publishing: Service {
        let snapshots: AsyncStream<Conditions>
        let publisher: ConditionsPublisher

        func run() async throws {
            for await conditions in snapshots.cancelOnGracefulShutdown() { await publisher.update(conditions) }
        }
    }
}

extension DiscretionaryReport {
    /// A line for `systemctl status`.
    fileprivate var summary: String {
        let verdict = discretionary ? "good for background work" : "not now: \(reasons.joined(separator: ", "))"
        return "\(verdict) (AC power: \(onAC), metered: \(metered))"
    }
}
