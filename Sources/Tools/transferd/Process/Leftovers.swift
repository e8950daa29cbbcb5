// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferModel

/// What transfers that are over left among the partial files, because the daemon died between saving the end and
/// removing it.
struct Leftovers {
    /// The folder of partial files, this daemon's alone.
    var folder: String
    /// The transfers that are not over: what is theirs stays.
    var unfinished: Set<TransferID> = []
    /// Those that are over, and of which no partial file is kept.
    var done: Set<TransferID> = []

    /// Removes it; what cannot be removed stays until the next start.
    ///
    /// A mark of a finished file has told all it could once the end is saved. A partial file goes only where the end says
    /// that nothing is kept.
    func remove() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let number = name.split(separator: "-").first.flatMap({ Int64($0) }) else { continue }
            let id = TransferID(number)
            guard name.hasSuffix(".placed") ? !unfinished.contains(id) : name.hasSuffix(".part") && done.contains(id)
            else { continue }
            let path = folder + "/" + name
            let kind = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
            // What is neither is not ours.
            guard kind == (name.hasSuffix(".placed") ? .typeSymbolicLink : .typeRegular) else { continue }
            unlink(path)
        }
    }
}
