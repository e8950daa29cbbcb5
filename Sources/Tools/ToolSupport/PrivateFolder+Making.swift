// SPDX-License-Identifier: Apache-2.0
package import LinuxKernel

extension PrivateFolder {
    /// Opens the folder at `path`, and makes it and its missing parents.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the folder.
    ///   - what: The name of the folder in an error message.
    ///   - remedy: The remedy in an error message.
    /// - Throws: `UsageError` that names the folder and the reason why it cannot be used.
    package static func make(
        _ path: String, called what: String = "the state folder", remedy: String = "use another --state-dir"
    ) throws(UsageError) {
        do throws(PathFault) { _ = try PrivateFolder(path) } catch {
            throw UsageError("cannot use \(what) \(path.printable) (\("\(error)".printable)); \(remedy)")
        }
    }
}
