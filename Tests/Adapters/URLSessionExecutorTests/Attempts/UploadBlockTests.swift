// SPDX-License-Identifier: Apache-2.0
import Testing
import URLSessionInterposer

@Suite("Blocks of an upload")
struct UploadBlockTests {
    private let room = 2 << 20
    private let small = Int(least_upload_block)
    private let large = Int(largest_upload_block)

    /// Returns the sizes of successive blocks, each requested after the given number of milliseconds.
    private func sizes(_ milliseconds: [UInt64], block: inout upload_block) -> [Int] {
        milliseconds.map { wait in
            upload_block_next(&block, room, block.requested_at + wait * 1_000_000)
        }
    }

    @Test("The first two blocks are small because a dead connection may lose them; fast blocks then grow")
    func growing() {
        var block = upload_block()
        #expect(sizes([5000, 0, 0, 0, 0, 0], block: &block) == [small, small, 2 * small, 4 * small, large, large])
        #expect(large == 8 * small)
    }

    @Test("A slow connection gets small blocks, and moderate speed leaves the block size unchanged")
    func slowing() {
        var block = upload_block()
        _ = sizes([0, 0, 0, 0, 0], block: &block)
        #expect(sizes([10, 11, 49], block: &block) == [large, large, large])
        #expect(sizes([50, 900, 900, 900], block: &block) == [4 * small, 2 * small, small, small])
        #expect(sizes([11, 10], block: &block) == [small, 2 * small])
    }

    @Test("A block is never larger than the available room")
    func limited() {
        var block = upload_block()
        #expect(upload_block_next(&block, 1000, 0) == 1000)
        #expect(upload_block_next(&block, room, 0) == small)
    }
}
