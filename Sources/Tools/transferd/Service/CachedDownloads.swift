// SPDX-License-Identifier: Apache-2.0
import Foundation
import SessionFolders
import Synchronization
import TransferBusServer

/// The finished downloads of sandboxed apps in the daemon's own folder, where only the daemon can read them.
///
/// Each app has a folder there. The files count towards the app's quota until the app discards them; what nobody discards
/// within 30 days is removed at a start of the daemon, as the records of ended transfers are.
final class CachedDownloads: Sendable {
    /// The number and size of an app's files.
    struct Usage: Equatable {
        var files = 0
        var bytes: Int64 = 0
    }

    /// The age from which a file is removed.
    static let retention = Duration.seconds(30 * 86_400)

    private struct State {
        /// The sizes of the files by path, in the groups that share a limit.
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

    /// Finds the files that are there, and removes those that are older than ``retention``.
    ///
    /// - Parameters:
    ///   - folder: the absolute path of the daemon's folder; it need not be there.
    ///   - now: the time in seconds since 1970.
    init(folder: String, at now: Int64) {
        self.folder = folder
        var state = State()
        let oldest = now - Self.retention.components.seconds
        let files = FileManager.default
        for app in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
            for name in (try? files.contentsOfDirectory(atPath: "\(folder)/\(app)")) ?? [] {
                let path = "\(folder)/\(app)/\(name)"
                var status = stat()
                // The time of the content may be the server's; the time of the inode is not.
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                if status.st_ctim.tv_sec < oldest, unlink(path) == 0 { continue }
                state.insert(path, Int64(status.st_size), Self.group(ofFolder: app))
            }
        }
        self.state = Mutex(state)
    }

    /// The apps that have files here; sandboxes without a name of their own are one.
    var apps: [String] {
        state.withLock { $0.usages.filter { $0.value.files > 0 }.keys.map { $0.removingPercentEncoding ?? $0 } }
    }

    /// The folder of an app's files.
    func folder(of app: String) -> String { "\(folder)/\(SessionFolders.fileName(app))" }

    /// The files that count towards an app's quota.
    func usage(of app: String) -> Usage {
        state.withLock { $0.usages[Self.group(ofFolder: SessionFolders.fileName(app))] ?? Usage() }
    }

    /// Whether a path is that of an app's file here.
    func contains(_ path: String, of app: String) -> Bool { path.hasPrefix(folder(of: app) + "/") }

    /// Adds the file of a download that has finished; paths outside the app's folder are left alone.
    func add(_ path: String, bytes: Int64, of app: String) {
        guard contains(path, of: app) else { return }
        state.withLock { $0.insert(path, bytes, Self.group(ofFolder: SessionFolders.fileName(app))) }
    }

    /// Removes an app's file; one that is gone already is fine.
    ///
    /// - Returns: false if the file cannot be removed, with the reason in `errno`.
    func remove(_ path: String, of app: String) -> Bool {
        guard unlink(path) == 0 || errno == ENOENT else { return false }
        state.withLock { $0.remove(path, Self.group(ofFolder: SessionFolders.fileName(app))) }
        return true
    }

    /// The name under which the files of a folder count. Sandboxes without a name of their own share one, see
    /// `BusCaller.limitGroup(of:)`.
    private static func group(ofFolder name: String) -> String {
        let opaque = SessionFolders.fileName(BusCaller.opaquePrefix)
        return name.hasPrefix(opaque) ? opaque : name
    }
}
