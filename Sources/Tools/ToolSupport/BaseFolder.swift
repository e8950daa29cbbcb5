// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The person's folders, as the XDG Base Directory Specification 0.8 has them: what a variable names, else a place below
/// the home folder.
package enum BaseFolder: String {
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"
    case data = "XDG_DATA_HOME"
    case state = "XDG_STATE_HOME"

    /// The folder's absolute path; nil where the environment names neither it nor a home.
    package var path: String? {
        let environment = ProcessInfo.processInfo.environment
        // The specification has relative paths in these variables ignored.
        if let named = environment[rawValue], named.hasPrefix("/") { return named }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + below : nil }
    }

    /// The folder's absolute path.
    ///
    /// - Parameter what: what is looked for, and a way out, for the error.
    /// - Throws: `UsageError` where the environment names neither it nor a home.
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
