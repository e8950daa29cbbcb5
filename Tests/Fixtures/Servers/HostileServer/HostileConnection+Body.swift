// SPDX-License-Identifier: Apache-2.0

/// Methods that read a client's upload, as much and as slowly as a test requires.
///
/// By itself, the server reads only a request's head, and the client's socket blocks until one of these methods is
/// called. Unread bytes would be parsed as the next request, so call `finish` or `reset` after a partial read.
extension HostileConnection {
    /// Returns the next `count` bytes from the wire, or fewer if the client disconnects first.
    public func readBytes(_ count: Int) -> [UInt8] {
        while pending.count < count, receive() {}
        let bytes = Array(pending.prefix(count))
        pending.removeFirst(bytes.count)
        return bytes
    }

    /// Reads the body of a request, by `Content-Length` or by chunks. Trailers are discarded.
    ///
    /// The body is empty if the head names neither.
    ///
    /// - Parameter receivedBytes: Receives the bytes, including an incomplete body's bytes.
    /// - Returns: `false` if the client disconnects in the middle of the body or a chunk is malformed.
    public func readBody(of request: HostileRequest, receivedBytes: inout [UInt8]) -> Bool {
        if request.isChunked { return readChunks(into: &receivedBytes) }
        let length = request.contentLength ?? 0
        receivedBytes += readBytes(length)
        return receivedBytes.count == length
    }

    /// Returns the complete body, or `nil` if the body is incomplete.
    public func readBody(of request: HostileRequest) -> [UInt8]? {
        var bytes: [UInt8] = []
        return readBody(of: request, receivedBytes: &bytes) ? bytes : nil
    }

    private func readChunks(into bytes: inout [UInt8]) -> Bool {
        while let line = readLine() {
            let digits = line.prefix { $0 != ";" && $0 != " " }
            guard let size = Int(digits, radix: 16), size >= 0 else { return false }
            guard size > 0 else {
                // An empty line ends the trailers.
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

    /// Returns the next line without its line ending, or `nil` if the connection ends first.
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
