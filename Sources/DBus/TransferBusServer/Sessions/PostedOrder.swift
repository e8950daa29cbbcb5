// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// An order as it comes from an app, with the file that came with it.
struct PostedOrder {
    /// The order. Of a new task, it tells nothing that only the daemon can know.
    var order: TaskOrder
    /// The file that a new upload sends, open until the call is answered; nil where a path names it.
    var file: Int32?

    /// Reads what came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    init(_ values: [String: VariantValue], _ descriptors: [Int32], from caller: BusCaller) throws {
        var values = values
        if var task = values["snapshot"]?.dictionary, let value = task.removeValue(forKey: "upload-fd") {
            let file = try PassedFiles.checkedFile(
                PassedFiles.descriptor(value, "upload-fd", descriptors), "upload-fd")
            // The path is for people; an app in a sandbox may leave it out.
            if task["upload-file"] == nil { task["upload-file"] = .string("/" + PassedFiles.name(of: file)) }
            values["snapshot"] = .dictionary(task)
            self.file = file
        }
        order = try TaskOrder(values)
        guard case .submit(var snapshot) = order else { return }
        if case .upload = snapshot.kind, caller.isSandboxed, file == nil {
            throw BusFault(
                .accessDenied,
                "a program in a sandbox names no file by its path: pass 'upload-fd' in the snapshot, open for reading")
        }
        (snapshot.isOver, snapshot.response, snapshot.total) = (false, nil, nil)
        (snapshot.received, snapshot.sent) = (0, 0)
        order = .submit(snapshot)
    }
}
