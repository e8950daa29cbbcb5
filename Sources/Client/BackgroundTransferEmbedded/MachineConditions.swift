// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LinuxClock
internal import LinuxConditions
internal import LinuxKernel
internal import Synchronization
public import TransferEngine
public import TransferModel

extension ConditionSource where Self == MachineConditions {
    /// The conditions of this machine, with its local time.
    public static var machine: MachineConditions { MachineConditions() }
}

/// The conditions of this machine. Reads nothing before they are used.
public final class MachineConditions: ConditionSource {
    private let source = Mutex<LinuxConditions?>(nil)
    private let hasStopped = Mutex(false)

    init() {}

    /// Returns a stream of the current conditions and each change. Ends the stream of the preceding call.
    public func snapshots() -> AsyncStream<Conditions> {
        let source: LinuxConditions? = source.withLock { source in
            guard !hasStopped.withLock({ $0 }) else { return nil }
            source = source ?? Self.make()
            return source
        }
        return source?.snapshots() ?? AsyncStream { $0.finish() }
    }

    /// Lets an announced sleep or shutdown of the machine proceed.
    public func readyToSleep() { source.withLock(\.self)?.readyToSleep() }

    /// Ends the stream and everything that reads the machine.
    public func stop() async {
        let source = source.withLock { source in
            hasStopped.withLock { $0 = true }
            return source
        }
        await source?.stop()
    }

    private static func make() -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.localTime = LocalTimeRules(systemZoneIn: "/etc/localtime")
        configuration.watchLocalTime = { LocalTimeWatch(onChange: $0) }
        return LinuxConditions(configuration: configuration, now: { .now })
    }
}

extension ClockReading {
    /// The current time, for the facts of a source of conditions.
    public static var now: ClockReading { LinuxAlarm.currentReading }
}

extension Circumstance {
    /// The circumstance that a file exists, whatever it contains. Its folder need not exist yet.
    ///
    /// ```swift
    /// .machine.holding("a video call", by: "call-watch", while: .fileExists("/run/user/1000/call"))
    /// ```
    ///
    /// - Parameter path: The path of the file. A relative path begins in the current folder.
    public static func fileExists(_ path: String) -> Circumstance {
        let file = URL(filePath: path).absoluteURL
        return Circumstance {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let report: @Sendable () -> Void = {
                    continuation.yield(FileManager.default.fileExists(atPath: file.path))
                }
                let watch = FolderWatch(
                    folder: file.deletingLastPathComponent().path, name: file.lastPathComponent, onChange: report)
                // After the watch has begun, so that no change is missed.
                report()
                continuation.onTermination = { _ in withExtendedLifetime(watch) {} }
            }
        }
    }
}
