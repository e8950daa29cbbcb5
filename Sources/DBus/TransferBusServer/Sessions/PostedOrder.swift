// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// An order from an app, with the file that the app passed.
struct PostedOrder {
    /// The order. The snapshot of a new task omits values that only the daemon can know.
    var order: TaskOrder
    /// The file of a new upload, open until the call is answered; `nil` if a path names the file.
    var file: Int32?

    /// Reads an order from the values of a call.
    ///
    /// - Throws: `BusFault` that names the key, the problem and the remedy.
    init(_ values: [String: VariantValue], _ descriptors: [Int32], from caller: BusCaller) throws {
        var values = values
        if var task = values["snapshot"]?.dictionary, let value = task.removeValue(forKey: "upload-fd") {
            let file = try PassedFiles.checkedFile(
                PassedFiles.descriptor(value, "upload-fd", descriptors), "upload-fd")
            // The path is only for display. A sandboxed app may omit the path.
            if task["upload-file"] == nil { task["upload-file"] = .string("/" + PassedFiles.name(of: file)) }
            values["snapshot"] = .dictionary(task)
            self.file = file
        }
        order = try TaskOrder(values)
        guard case .submit(var snapshot) = order else { return }
        if case .upload = snapshot.kind, caller.isSandboxed, file == nil {
            throw BusFault(
                .accessDenied,
                "a sandboxed program cannot specify a file by its path: pass 'upload-fd' in the snapshot, open for reading"
            )
        }
        (snapshot.isEnded, snapshot.response, snapshot.total) = (false, nil, nil)
        (snapshot.received, snapshot.sent) = (0, 0)
        order = .submit(snapshot)
    }
}
