// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// The programs that the daemon started for their apps' sessions.
///
/// A program started by the daemon has another control group and other arguments than a program started by a desktop.
/// This registry maps both to the same app.
package final class LaunchedPrograms: Sendable {
    /// The first process of a systemd unit that was started for an app.
    package struct Unit: Hashable, Sendable, Codable {
        var app: String
        var process: Int32
    }

    /// The contents of the registry, for a program that continues this process.
    package struct Contents: Hashable, Sendable, Codable {
        /// The apps of processes that the daemon started, by process ID.
        package var apps: [Int32: String] = [:]
        /// The started systemd units, by name.
        package var units: [String: Unit] = [:]

        /// Creates the contents of an empty registry.
        package init() {}
    }

    private let apps = Mutex<[Int32: String]>([:])
    /// The started systemd units, by name.
    private let units = Mutex<[String: Unit]>([:])

    /// Creates an empty registry.
    package init() {}

    /// A copy of the contents.
    package var contents: Contents {
        var contents = Contents()
        (contents.apps, contents.units) = (apps.withLock { $0 }, units.withLock { $0 })
        return contents
    }

    /// Adds programs that an earlier program of this process started.
    package func add(_ contents: Contents) {
        apps.withLock { $0.merge(contents.apps) { old, _ in old } }
        units.withLock { $0.merge(contents.units) { old, _ in old } }
    }

    /// Starts a process with `start` and records the process as the app's. Concurrent lookups wait until the process
    /// is recorded.
    ///
    /// The process should lead its own session, so that its child processes are recognized too.
    package func add(_ app: String, _ start: () throws -> Int32) rethrows -> Int32 {
        try apps.withLock { apps in
            let process = try start()
            apps[process] = app
            return process
        }
    }

    /// Removes a process that has ended. The kernel may reuse its process id.
    package func remove(_ process: Int32) { apps.withLock { $0[process] = nil } }

    /// Records a systemd unit that was started for an app, with the unit's first process.
    func add(unit: String, of app: String, process: Int32) {
        units.withLock { $0[unit] = Unit(app: app, process: process) }
    }

    /// Whether a program that the daemon started for an app is still running.
    func isRunning(_ app: String) -> Bool {
        if apps.withLock({ $0.values.contains(app) }) { return true }
        return units.withLock { units in
            // The kernel may have reused the id of a process that has ended. A process with a reused id is in another
            // unit.
            units = units.filter { UnitName.isUnit($0.key, of: $0.value.process) }
            return units.values.contains { $0.app == app }
        }
    }

    /// The app for which the daemon started a process or the leader of the process's session; `nil` if there is none.
    func app(of process: Int32) -> String? {
        apps.withLock { apps in
            guard !apps.isEmpty else { return nil }
            return apps[process] ?? apps[getsid(process)]
        }
    }
}
