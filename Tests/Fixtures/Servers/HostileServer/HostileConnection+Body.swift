// SPDX-License-Identifier: Apache-2.0

/// Reading what a client uploads, as much and as slowly as the test likes.
///
/// A request's head is all that the server reads by itself: until one of these is called the client is held up by its
/// socket. What is left unread would be taken for the next request, so `finish` or `reset` after a cut.
extension HostileConnection {
    /// The next bytes as they come on the wire, `count` of them; fewer where the client went away before.
    public func readBytes(_ count: Int) -> [UInt8] {
        while pending.count < count, receive() {}
        let bytes = Array(pending.prefix(count))
        pending.removeFirst(bytes.count)
        return bytes
    }

    /// The body of that request: by its `Content-Length`, or by its chunks without their trailers.
    ///
    /// Empty where the head names neither. False where the client went away in the middle, or a chunk is malformed;
    /// `receivedBytes` then holds what came.
    public func readBody(of request: HostileRequest, receivedBytes: inout [UInt8]) -> Bool {
        if request.isChunked { return readChunks(into: &receivedBytes) }
        let length = request.contentLength ?? 0
        receivedBytes += readBytes(length)
        return receivedBytes.count == length
    }

    /// The whole body; nil where it did not come whole.
    public func readBody(of request: HostileRequest) -> [UInt8]? {
        var bytes: [UInt8] = []
        return readBody(of: request, receivedBytes: &bytes) ? bytes : nil
    }

    private func readChunks(into bytes: inout [UInt8]) -> Bool {
        while let line = readLine() {
            let digits = line.prefix { $0 != ";" && $0 != " " }
            guard let size = Int(digits, radix: 16), size >= 0 else { return false }
            guard size > 0 else {
                // Trailers end with an empty line.
                while let trailer = readLine() {
                    if trailer.isEmpty { return true }
                }
                return false
            }
            let chunk = readBytes(size)
            bytes += chunk
            guard chunk.count == size, readLine() == "" else { return false }
        }
        return false
    }

    /// The next line without its end; nil where none came.
    private func readLine() -> String? {
        var searched = 0
        while true {
            if let end = pending[searched...].firstIndex(of: 10) {
                let line = pending[..<end]
                let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
                pending.removeFirst(end + 1)
                return text
            }
            searched = pending.count
            guard receive() else { return nil }
        }
    }
}
