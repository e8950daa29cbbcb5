// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where the queue, partial files and what belongs to them are kept.
package enum StateFolder {
    /// `$XDG_STATE_HOME/transferd`, else `~/.local/state/transferd` (XDG Base Directory Specification 0.8).
    package static func path(option: String?) throws -> String {
        if let option { return try PathName.absolute(option) }
        let environment = ProcessInfo.processInfo.environment
        // The specification has relative paths in these variables ignored.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/transferd" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw UsageError("neither XDG_STATE_HOME nor HOME names a folder for the queue; give --state-dir")
        }
        return home + "/.local/state/transferd"
    }
}
