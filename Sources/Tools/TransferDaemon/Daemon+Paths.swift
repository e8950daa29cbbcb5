// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import SessionFolders
import ToolSupport
import TransferFiles
internal import TransferModel
import WorkerExecutor

/// Locations: the worker program, the folders of sessions, and the default folder for downloads.
extension Daemon {
    /// Returns the settings of the queue in a state folder.
    static func storing(in state: String) -> SQLiteStoreConfiguration {
        var storing = SQLiteStoreConfiguration(path: state + "/queue.sqlite")
        (storing.keepsBackup, storing.repairsDamage) = (true, true)
        storing.laterMigrations = DaemonRelease.current.laterMigrations
        return storing
    }

    /// Returns the program that transfers bytes. Code that talks to servers runs in a separate process, never in
    /// the daemon.
    ///
    /// - Throws: `UsageError` if the program is not installed.
    static func workerProgram() throws -> WorkerProgram {
        guard let program = try WorkerProgram.find() else {
            throw UsageError(
                "program 'transfer-worker' not found beside transferd or in ../libexec/background-transfer: install it, or build "
                    + "it with 'swift build'")
        }
        return program
    }

    /// Returns the resolver of files and addresses for sessions of apps.
    ///
    /// - Parameter state: The state folder, which holds the cache if the user has no cache folder.
    static func folders(beside state: String) -> SessionFolders {
        let proxies = ProxyRule(explicit: nil)
        return SessionFolders(
            cache: BaseFolder.cache.path ?? state + "/cache", isProxied: { proxies.applies(scheme: $0, host: $1) }
        ) { path, method, type throws(TransferFailure) in
            try UploadSource(fileAt: path, method: method, contentType: type, resumption: .automatic)
        }
    }

    /// Returns the folder of downloads that name no folder: `transferd` below `$XDG_CACHE_HOME` or `~/.cache`. If the
    /// user has no cache folder, returns `files` in the state folder.
    static func cacheFolder(beside state: String) -> String {
        (BaseFolder.cache.path.map { $0 + "/transferd" }) ?? state + "/files"
    }
}
