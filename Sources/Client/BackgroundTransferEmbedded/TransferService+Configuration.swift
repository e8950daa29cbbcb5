// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import HTTPExecutor
public import TransferEngine
public import TransferPolicy
public import TransferScheduling
internal import URLSessionTransport

extension TransferService {
    /// The settings of a service. All of them have defaults.
    ///
    /// ```swift
    /// let transfers = try TransferService("org.example.Podcasts") {
    ///     $0.filesPerApp = 5_000_000_000
    ///     $0.conditions = .machine.holding("a video call", by: "podcasts", while: .fileExists("/run/call"))
    /// }
    /// ```
    public struct Configuration: Sendable {
        /// The absolute path of the folder for the queue. The folder belongs to one program, and only one process may
        /// use it at a time. The value `nil` means `$XDG_STATE_HOME/APP`, by default `~/.local/state/APP`.
        public var stateDirectory: String?
        /// The absolute path of the folder below which finished files are placed until the program claims them. The
        /// value `nil` means `$XDG_CACHE_HOME`, by default `~/.cache`.
        public var cacheDirectory: String?
        /// The policy that decides about discretionary transfers: those of the kind `WorkKind.discretionary`, and those
        /// of sessions with `isDiscretionary`.
        public var policy: any Policy = PatiencePolicy()
        /// The source of the machine's conditions. The default reads this machine. Decorate it, or write another.
        public var conditions: any ConditionSource = .machine
        /// The maximum number of bytes of all files that the service keeps. The default is 20 GB.
        ///
        /// The sum includes downloads, finished downloads that the program has not claimed, and kept files of uploads.
        /// A task that exceeds the limit completes with an error that names the limit.
        public var filesPerApp: Int64 = 20_000_000_000
        /// The number of unfinished transfers, oldest first, whose reasons to wait are reported: by
        /// ``TransferService/waits()``, the log, the metrics, and ``TransferService/list(ended:)``. The default is 1000.
        ///
        /// Each reported transfer that waits costs some microseconds for each event of the service.
        public var explainedTransfers = 1000
        /// The network. The default is FoundationNetworking's URLSession. `.curl` of `CurlTransport` wakes up less
        /// often, limits the rate of each connection, and can verify bodies that a server encodes without being asked.
        public var transport = Transport.urlSession
        /// The component that moves the bytes, in place of the package's own. The value `nil` means requests over
        /// ``transport``. Keys, lists, waits, and the lock of the folder work the same with any executor.
        public var executor: (any TransferExecutor)?
        /// The limits and delays of the scheduler, such as the number of transfers that run at a time.
        public var scheduling = SchedulerConfiguration()

        /// Creates a configuration with the defaults.
        public init() {}

        /// Returns the folders for the state and for finished files.
        ///
        /// - Throws: `TransferServiceError` if the environment names neither a needed folder nor a home folder.
        func folders(of app: String) throws(TransferServiceError) -> (state: String, cache: String) {
            // `??` does not pass on the type of the error.
            var (state, cache) = (stateDirectory ?? "", cacheDirectory ?? "")
            if stateDirectory == nil { state = try Self.folder("XDG_STATE_HOME", "/.local/state") + "/" + app }
            if cacheDirectory == nil { cache = try Self.folder("XDG_CACHE_HOME", "/.cache") }
            return (state, cache)
        }

        private static func folder(_ variable: String, _ below: String) throws(TransferServiceError) -> String {
            let environment = ProcessInfo.processInfo.environment
            if let path = environment[variable], path.hasPrefix("/") { return path }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw .cannotStart("neither \(variable) nor HOME is an absolute path; set one of them")
            }
            return home + below
        }
    }
}
