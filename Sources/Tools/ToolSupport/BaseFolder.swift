// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The user's base folders, as defined by the XDG Base Directory Specification 0.8. An environment variable names
/// each folder. Its default is below the home folder.
package enum BaseFolder: String {
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"
    case data = "XDG_DATA_HOME"
    case state = "XDG_STATE_HOME"

    /// The absolute path of the folder, or `nil` if no environment variable specifies the folder or a home folder.
    package var path: String? {
        let environment = ProcessInfo.processInfo.environment
        // The specification requires that relative paths in these variables are ignored.
        if let explicit = environment[rawValue], explicit.hasPrefix("/") { return explicit }
        return Self.home.map { $0 + defaultSubpath }
    }

    /// The home folder, or `nil` if `HOME` is not an absolute path.
    package static var home: String? {
        ProcessInfo.processInfo.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Returns the absolute path of the folder.
    ///
    /// - Parameter what: The name of the folder, for the error message.
    /// - Throws: `UsageError` if no environment variable specifies the folder or a home folder.
    package func path(for what: String) throws -> String {
        guard let path else {
            throw UsageError("cannot locate \(what): neither \(rawValue) nor HOME is an absolute path; set HOME")
        }
        return path
    }

    private var defaultSubpath: String {
        switch self {
        case .cache: "/.cache"
        case .config: "/.config"
        case .data: "/.local/share"
        case .state: "/.local/state"
        }
    }
}
