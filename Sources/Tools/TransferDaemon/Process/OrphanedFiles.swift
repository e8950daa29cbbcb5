// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferModel

/// The files that ended transfers left in the folder of partial files.
///
/// Files are left if the daemon dies after it has saved the end of a transfer and before it has removed the file.
struct OrphanedFiles {
    /// The folder of partial files, which only this daemon uses.
    var folder: String
    /// The unfinished transfers. Their files are kept.
    var unfinished: Set<TransferID> = []
    /// The ended transfers of which no partial file is kept.
    var done: Set<TransferID> = []

    /// Removes the files. A file that cannot be removed stays until the next start.
    ///
    /// The mark of a finished file (`.placed`) is of no use once the end of its transfer is saved. A partial file
    /// (`.part`) is removed only if the saved end keeps none.
    func remove() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let number = name.split(separator: "-").first.flatMap({ Int64($0) }) else { continue }
            let id = TransferID(number)
            guard name.hasSuffix(".placed") ? !unfinished.contains(id) : name.hasSuffix(".part") && done.contains(id)
            else { continue }
            let path = folder + "/" + name
            let kind = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
            // The daemon did not create a file of any other type.
            guard kind == (name.hasSuffix(".placed") ? .typeSymbolicLink : .typeRegular) else { continue }
            unlink(path)
        }
    }
}
