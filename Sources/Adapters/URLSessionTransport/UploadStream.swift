// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPExecutor

/// The stream that URLSession reads. URLSession chooses the time of each read, but can never read outside the range.
///
/// Foundation's own file stream continues if the file grows, and treats a truncated file as a short body.
final class UploadStream: InputStream {
    // Guard: URLSession uses a stream only on its own queue.
    private let body: UploadBody
    private let pass: Int
    private var status = Stream.Status.notOpen

    init(_ body: UploadBody) {
        self.body = body
        pass = body.begin()
        super.init(data: Data())
    }

    override func open() { status = .open }

    override func close() { status = .closed }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { nil }

    override var hasBytesAvailable: Bool { body.hasBytes(pass) }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        body.read(buffer, length, pass)
    }
}
