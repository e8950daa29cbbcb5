// SPDX-License-Identifier: Apache-2.0
/// Where the queue, partial files and what belongs to them are kept.
package enum StateFolder {
    /// What the option names, else `$XDG_STATE_HOME/transferd` or `~/.local/state/transferd`.
    package static func path(option: String?) throws -> String {
        if let option { return try PathName.absolute(option) }
        return try BaseFolder.state.path(for: "a folder for the queue; give --state-dir") + "/transferd"
    }
}
