// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import Logging
public import TransferPolicy

/// What an embedded engine works by.
public struct EmbeddedConfiguration: Sendable {
    /// The program's identifier, as `org.example.Podcasts`: its files land in a folder of that name.
    public var app: String
    /// The absolute path of the folder for the queue; one program's, and one process's at a time.
    public var stateDirectory: String
    /// The absolute path of the folder below which finished files land until the program takes them.
    public var cacheDirectory: String
    /// What decides about sessions with `isDiscretionary`.
    public var policy: any Policy = DefaultPolicy()
    /// The most bytes that downloads, finished ones that the program has not taken included, and kept files of uploads may
    /// have together: 20 GB. A task beyond that completes with an error that tells the limit.
    public var filesPerApp: Int64 = 20_000_000_000
    /// Where it logs.
    public var logger = Logger(label: "org.transferd.embedded")

    /// The folders that the XDG Base Directory Specification names.
    ///
    /// - Throws: `EmbeddedError` where the environment names neither a home nor these folders.
    public init(app: String) throws {
        let environment = ProcessInfo.processInfo.environment
        func folder(_ variable: String, _ below: String) throws -> String {
            if let path = environment[variable], path.hasPrefix("/") { return path }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw EmbeddedError(message: "neither \(variable) nor HOME names a folder; set one of them")
            }
            return home + below
        }
        self.init(
            app: app, stateDirectory: try folder("XDG_STATE_HOME", "/.local/state") + "/" + app,
            cacheDirectory: try folder("XDG_CACHE_HOME", "/.cache"))
    }

    /// Folders of the program's own choice.
    public init(app: String, stateDirectory: String, cacheDirectory: String) {
        self.app = app
        self.stateDirectory = stateDirectory
        self.cacheDirectory = cacheDirectory
    }
}

/// An embedded engine cannot be had.
public struct EmbeddedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was wrong, and what to do.
    public var message: String

    /// The message.
    public var description: String { message }
}
