// SPDX-License-Identifier: Apache-2.0

/// The program that a process runs. One file contains all programs, and is installed under several names, as hard links.
/// The name of the file selects the program.
enum SelectedProgram: Hashable {
    /// `transferctl`, also under the name of a program whose command line it accepts.
    case control(Personality?)
    /// `transferd`
    case daemon
    /// `transferlab`
    case lab
    /// `transfer-rpc`
    case rpc
    /// `transfer-worker`
    case worker

    /// Selects a program. Returns `nil` if the file has the name of none.
    ///
    /// - Parameters:
    ///   - file: The path of the file, from the kernel.
    ///   - called: The first argument. A caller may choose any text, so this only selects between `transferctl` and the
    ///     programs that `transferctl` imitates: the name of a symbolic link is nowhere else.
    init?(file: String, called: String) {
        let name = Self.name(of: file)
        switch name {
        case "transferd": self = .daemon
        case "transferlab": self = .lab
        case "transfer-rpc": self = .rpc
        case "transfer-worker": self = .worker
        default:
            let imitated = Personality(rawValue: name)
            guard name == "transferctl" || imitated != nil else { return nil }
            self = .control(Personality(rawValue: Self.name(of: called)) ?? imitated)
        }
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    }
}
