// SPDX-License-Identifier: Apache-2.0
import Foundation
import SessionFolders
import Synchronization
import TransferBusServer

/// The finished downloads of sandboxed apps in the daemon's own folder, which only the daemon can read.
///
/// Each app has its own folder. The files count toward the app's quota until the app discards them. A file that
/// no app discards within 30 days is removed at the next start of the daemon, like the records of ended transfers.
final class CachedDownloads: Sendable {
    /// The number of an app's files, and their total size in bytes.
    struct Usage: Equatable {
        var files = 0
        var bytes: Int64 = 0
    }

    /// The age at which a file is removed: 30 days.
    static let retention = Duration.seconds(30 * 86_400)

    private struct State {
        /// The size of each file in bytes, by path, for each group of apps that share a limit.
        var sizes: [String: [String: Int64]] = [:]
        var usages: [String: Usage] = [:]

        mutating func insert(_ path: String, _ bytes: Int64, _ group: String) {
            let old = sizes[group, default: [:]].updateValue(bytes, forKey: path)
            usages[group, default: Usage()].files += old == nil ? 1 : 0
            usages[group]?.bytes += bytes - (old ?? 0)
        }

        mutating func remove(_ path: String, _ group: String) {
            guard let size = sizes[group]?.removeValue(forKey: path) else { return }
            usages[group]?.files -= 1
            usages[group]?.bytes -= size
        }
    }

    private let folder: String
    private let state: Mutex<State>

    /// Lists the existing files, and removes those that are older than ``retention``.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the daemon's folder. The folder may be missing.
    ///   - now: The current time in seconds since 1970.
    init(folder: String, at now: Int64) {
        self.folder = folder
        var state = State()
        let oldest = now - Self.retention.components.seconds
        let files = FileManager.default
        for app in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
            for name in (try? files.contentsOfDirectory(atPath: "\(folder)/\(app)")) ?? [] {
                let path = "\(folder)/\(app)/\(name)"
                var status = stat()
                // The modification time may come from the server. The change time of the inode does not.
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                if status.st_ctim.tv_sec < oldest, unlink(path) == 0 { continue }
                state.insert(path, Int64(status.st_size), Self.group(ofFolder: app))
            }
        }
        self.state = Mutex(state)
    }

    /// The apps that have files in the folder. All sandboxes without a name count as one app.
    var apps: [String] {
        state.withLock { $0.usages.filter { $0.value.files > 0 }.keys.map { $0.removingPercentEncoding ?? $0 } }
    }

    /// Returns the folder of an app's files.
    func folder(of app: String) -> String { "\(folder)/\(SessionFolders.fileName(app))" }

    /// Returns the number and size of the files that count toward an app's quota.
    func usage(of app: String) -> Usage {
        state.withLock { $0.usages[Self.group(ofFolder: SessionFolders.fileName(app))] ?? Usage() }
    }

    /// Returns whether a path lies in the folder of an app.
    func contains(_ path: String, of app: String) -> Bool { path.hasPrefix(folder(of: app) + "/") }

    /// Adds the file of a finished download. A path outside the app's folder is ignored.
    func add(_ path: String, bytes: Int64, of app: String) {
        guard contains(path, of: app) else { return }
        state.withLock { $0.insert(path, bytes, Self.group(ofFolder: SessionFolders.fileName(app))) }
    }

    /// Removes a file of an app. A file that is already gone counts as removed.
    ///
    /// - Returns: `false` if the file cannot be removed. `errno` then has the reason.
    func remove(_ path: String, of app: String) -> Bool {
        guard unlink(path) == 0 || errno == ENOENT else { return false }
        state.withLock { $0.remove(path, Self.group(ofFolder: SessionFolders.fileName(app))) }
        return true
    }

    /// Returns the name of the group whose limit the files of a folder count toward. Sandboxes without a name share
    /// one group, see `BusCaller.limitGroup(of:)`.
    private static func group(ofFolder name: String) -> String {
        let opaque = SessionFolders.fileName(BusCaller.opaquePrefix)
        return name.hasPrefix(opaque) ? opaque : name
    }
}
