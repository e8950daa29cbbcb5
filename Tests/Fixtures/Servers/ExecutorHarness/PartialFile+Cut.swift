// SPDX-License-Identifier: Apache-2.0
package import TransferFiles

extension PartialFile {
    /// Opens or creates the file and truncates it to `offset` bytes.
    package convenience init(
        path: String, offset: Int64, durable: Int64, calls: FileCalls = FileCalls()
    ) throws(FileFailure) {
        try self.init(path: path, isNew: false, calls: calls)
        try begin(at: offset, durable: ByteRanges([0..<durable]))
    }
}
