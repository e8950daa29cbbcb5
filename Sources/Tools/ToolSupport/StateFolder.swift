// SPDX-License-Identifier: Apache-2.0
/// The folder for the queue, partial files and related files.
package enum StateFolder {
    /// Returns the path of the option, or by default `$XDG_STATE_HOME/transferd` or `~/.local/state/transferd`.
    package static func path(option: String?) throws -> String {
        if let option { return try PathName.absolute(option) }
        return try BaseFolder.state.path(for: "the state folder (set with --state-dir)") + "/transferd"
    }
}
