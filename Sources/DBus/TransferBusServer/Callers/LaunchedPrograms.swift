// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Programs that the daemon started for their apps' sessions: in another control group and by other words than a desktop
/// would, they are the same apps.
package final class LaunchedPrograms: Sendable {
    private struct Unit {
        var app: String
        var process: Int32
    }

    private let apps = Mutex<[Int32: String]>([:])
    /// The units that were started, by their names.
    private let units = Mutex<[String: Unit]>([:])

    /// None.
    package init() {}

    /// Notes the process that `start` starts as an app's; whoever asks meanwhile waits until that is known.
    ///
    /// The process is to lead a session of its own, so that what it starts is known as well.
    package func add(_ app: String, _ start: () throws -> Int32) rethrows -> Int32 {
        try apps.withLock { apps in
            let process = try start()
            apps[process] = app
            return process
        }
    }

    /// A process has ended: its number may become another's.
    package func remove(_ process: Int32) { apps.withLock { $0[process] = nil } }

    /// Notes a unit that was started for an app, and its first process.
    func add(unit: String, of app: String, process: Int32) {
        units.withLock { $0[unit] = Unit(app: app, process: process) }
    }

    /// Whether a program that was started for an app still runs.
    func isRunning(_ app: String) -> Bool {
        if apps.withLock({ $0.values.contains(app) }) { return true }
        return units.withLock { units in
            // The number of a process that has ended may be another's by now, which is in another unit.
            units = units.filter { UnitName.isUnit($0.key, of: $0.value.process) }
            return units.values.contains { $0.app == app }
        }
    }

    /// The app for which a process, or the one that leads its session, was started.
    func app(of process: Int32) -> String? {
        apps.withLock { apps in
            guard !apps.isEmpty else { return nil }
            return apps[process] ?? apps[getsid(process)]
        }
    }
}
