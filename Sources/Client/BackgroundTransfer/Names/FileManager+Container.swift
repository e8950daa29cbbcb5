// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LinuxKernel

extension FileManager {
    /// Returns the folder in which the programs of one publisher share their files, and creates the folder if it does
    /// not exist.
    ///
    /// The folder has the name of the container below `$XDG_DATA_HOME`, or below `~/.local/share`. Finished files of a
    /// session with this `sharedContainerIdentifier` are not placed there, but below `$XDG_CACHE_HOME`.
    ///
    /// - Parameter groupIdentifier: The identifier of the container, such as `group.org.example`.
    /// - Returns: The folder. `nil` if the identifier is not a plain file name, if the folder cannot be created,
    ///   or if another user owns it or can change it.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        guard !groupIdentifier.isEmpty, !groupIdentifier.hasPrefix("."), groupIdentifier.utf8.count <= 255,
            !groupIdentifier.utf8.contains(UInt8(ascii: "/")), !groupIdentifier.utf8.contains(0)
        else { return nil }
        let named = ProcessInfo.processInfo.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let data =
            named.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? homeDirectoryForCurrentUser.appendingPathComponent(".local/share", isDirectory: true)
        let folder = data.appendingPathComponent(groupIdentifier, isDirectory: true)
        return (try? PrivateFolder(folder.path)) == nil ? nil : folder
    }
}
