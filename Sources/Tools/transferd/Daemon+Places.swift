// SPDX-License-Identifier: Apache-2.0
import SessionFolders
import ToolSupport
import TransferFiles
internal import TransferModel
import WorkerExecutor

/// The places of the daemon's worker program and of files that nobody named a folder for.
extension Daemon {
    /// Returns the program that transfers bytes: a process of its own, since what talks to servers has no place in this one.
    static func workerProgram() throws -> WorkerProgram {
        guard let program = try WorkerProgram.find() else {
            throw UsageError(
                "there is no program 'transfer-worker' beside transferd or in ../libexec/background-transfer: install it, or "
                    + "build it with 'swift build'")
        }
        return program
    }

    /// What sessions of apps have files and addresses for.
    static func folders(beside state: String) -> SessionFolders {
        let proxies = ProxyRule(explicit: nil)
        return SessionFolders(
            cache: BaseFolder.cache.path ?? state + "/cache", isProxied: { proxies.applies(scheme: $0, host: $1) }
        ) { path, method, type throws(TransferFailure) in
            try UploadSource(fileAt: path, method: method, contentType: type, resumption: .automatic)
        }
    }

    /// Where files go that nobody named a folder for: below `$XDG_CACHE_HOME`, else `~/.cache`.
    static func cacheFolder(beside state: String) -> String {
        (BaseFolder.cache.path.map { $0 + "/transferd" }) ?? state + "/files"
    }
}
