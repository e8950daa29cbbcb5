// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The folder of the downloaded episodes: `podcasts` below `$XDG_DATA_HOME` or `~/.local/share`.
struct Library: Sendable {
    private let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        .appendingPathComponent("podcasts")

    /// The names of the episodes, in order.
    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { !$0.hasPrefix(".") }.sorted()
    }

    func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Moves a file into the folder. If the process is killed, the same call completes the move.
    func add(_ file: URL, as name: String) throws {
        // On another disk, a move is a copy. Only the second move shows the file, which is then complete.
        let (files, incoming) = (FileManager.default, path(".\(name)"))
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        if files.fileExists(atPath: file.path) {
            try? files.removeItem(atPath: incoming)
            try files.moveItem(atPath: file.path, toPath: incoming)
        }
        guard rename(incoming, path(name)) == 0 || contains(name) else { throw CocoaError(.fileNoSuchFile) }
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
