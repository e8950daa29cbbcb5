// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The user's base folders, as defined by the XDG Base Directory Specification 0.8. An environment variable names
/// each folder. Its default is below the home folder.
package enum BaseFolder: String {
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"
    case data = "XDG_DATA_HOME"
    case state = "XDG_STATE_HOME"

    /// The absolute path of the folder, or `nil` if the environment names neither the folder nor a home folder.
    package var path: String? {
        let environment = ProcessInfo.processInfo.environment
        // The specification requires that relative paths in these variables are ignored.
        if let named = environment[rawValue], named.hasPrefix("/") { return named }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + below : nil }
    }

    /// Returns the absolute path of the folder.
    ///
    /// - Parameter what: The purpose of the folder and a remedy, for the error message.
    /// - Throws: `UsageError` if the environment names neither the folder nor a home folder.
    package func path(for what: String) throws -> String {
        guard let path else { throw UsageError("neither \(rawValue) nor HOME names \(what)") }
        return path
    }

    private var below: String {
        switch self {
        case .cache: "/.cache"
        case .config: "/.config"
        case .data: "/.local/share"
        case .state: "/.local/state"
        }
    }
}
