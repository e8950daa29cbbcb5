// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import HTTPExecutor
public import Logging
public import Metrics
public import TransferPolicy
public import TransferScheduling
internal import URLSessionTransport

/// The settings of an embedded engine. All of them have defaults, except for the identifier of the program.
///
/// ```swift
/// var configuration = try EmbeddedConfiguration(app: "org.example.Podcasts")
/// configuration.filesPerApp = 5_000_000_000
/// let transfers = try TransferService(configuration)
/// ```
public struct EmbeddedConfiguration: Sendable {
    /// The identifier of the program, such as `org.example.Podcasts`. Finished files are placed in a folder of that
    /// name.
    public var app: String
    /// The absolute path of the folder for the queue. The folder belongs to one program, and only one process may use
    /// it at a time.
    public var stateDirectory: String
    /// The absolute path of the folder below which finished files are placed until the program claims them.
    public var cacheDirectory: String
    /// The policy that decides about discretionary transfers: those of the kind `WorkKind.discretionary`, and those of
    /// sessions with `isDiscretionary`.
    public var policy: any Policy = PatiencePolicy()
    /// The maximum number of bytes of all files that the engine keeps. The default is 20 GB.
    ///
    /// The sum includes downloads, finished downloads that the program has not claimed, and kept files of uploads. A
    /// task that exceeds the limit completes with an error that names the limit.
    public var filesPerApp: Int64 = 20_000_000_000
    /// The network. The default is FoundationNetworking's URLSession. `.curl` of `CurlTransport` wakes up less often,
    /// limits the rate of each connection, and can verify bodies that a server encodes without being asked.
    public var transport = Transport.urlSession
    /// The limits and delays of the scheduler, such as the number of transfers that run at a time.
    public var scheduling = SchedulerConfiguration()
    /// The logger of the engine. Submissions, pauses, retries, and ends have the level `info`, starts have the level
    /// `debug`, and problems of the queue have the level `error`.
    public var logger = Logger(label: "org.transferd.embedded")
    /// The destination of the engine's counters and timers. The value `nil` uses the factory with which the process
    /// has bootstrapped swift-metrics when the service is created.
    public var metrics: (any MetricsFactory)?

    /// Creates a configuration with the folders that the XDG Base Directory Specification defines.
    ///
    /// - Parameter app: The identifier of the program.
    /// - Throws: `EmbeddedError` if the environment names neither these folders nor a home folder.
    public init(app: String) throws {
        let environment = ProcessInfo.processInfo.environment
        func folder(_ variable: String, _ below: String) throws -> String {
            if let path = environment[variable], path.hasPrefix("/") { return path }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw EmbeddedError(message: "neither \(variable) nor HOME is an absolute path; set one of them")
            }
            return home + below
        }
        self.init(
            app: app, stateDirectory: try folder("XDG_STATE_HOME", "/.local/state") + "/" + app,
            cacheDirectory: try folder("XDG_CACHE_HOME", "/.cache"))
    }

    /// Creates a configuration with folders that the program chooses.
    ///
    /// - Parameters:
    ///   - app: The identifier of the program.
    ///   - stateDirectory: The absolute path of the folder for the queue.
    ///   - cacheDirectory: The absolute path of the folder below which finished files are placed.
    public init(app: String, stateDirectory: String, cacheDirectory: String) {
        self.app = app
        self.stateDirectory = stateDirectory
        self.cacheDirectory = cacheDirectory
    }
}

/// An error that prevents an embedded engine from starting.
public struct EmbeddedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the problem and its remedy, in English.
    public var message: String

    /// The same text as ``message``.
    public var description: String { message }
}
