// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc
package import TransferFiles

/// Reads frames from a socket until its end, and passes on each decoded message.
package enum FrameReader {
    /// Reads messages until the end of the stream.
    ///
    /// Received files are collected in `files`. If `files` is `nil`, the kernel closes them.
    ///
    /// - Throws: An error if the received bytes are not a message, and any error of `handle`.
    package static func read<Message: Decodable>(
        _ type: Message.Type, from descriptor: Int32, longestFrame: Int, files: ReceivedFiles? = nil,
        _ handle: (Message) throws -> Void
    ) throws {
        var frames = FrameBuffer(longestFrame: longestFrame)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = try files?.receive(from: descriptor, room) ?? recv(descriptor, room.baseAddress, room.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            frames.append(UnsafeRawBufferPointer(rebasing: room[..<count]))
            while let body = try frames.next() { try handle(try WireFormat.message(type, in: body)) }
        }
    }
}

/// The open files received over a socket, in order. Used on the reading thread.
package final class ReceivedFiles {
    private var files: [OwnedDescriptor] = []

    package init() {}

    /// Receives bytes and the files that accompany them.
    fileprivate func receive(from descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) throws -> Int {
        var numbers = [Int32](repeating: -1, count: Int(TRANSFER_MOST_FILES))
        var number: UInt32 = 0
        var isCut: Int32 = 0
        let count = transfer_receive_files(
            descriptor, room.baseAddress, UInt(room.count), &numbers, &number, &isCut)
        files += numbers.prefix(Int(number)).map(OwnedDescriptor.init)
        guard isCut == 0 else { throw WireError("too many open files to receive another file") }
        return count
    }

    /// Removes and returns the file that belongs to the current message.
    package func next() throws(WireError) -> OwnedDescriptor {
        guard !files.isEmpty else { throw WireError("a file that the message refers to is missing") }
        return files.removeFirst()
    }
}
