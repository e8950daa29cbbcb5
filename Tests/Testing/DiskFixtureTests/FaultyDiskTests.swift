// SPDX-License-Identifier: Apache-2.0
import DiskFixture
import Foundation
import ProcessFixtures
import Testing

@Suite("A disk with power losses, limited space, and delays")
struct FaultyDiskTests {
    @Test("synced bytes survive, unsynced bytes are lost, and the file keeps its inode")
    func synced() async throws {
        let disk = try FaultyDiskFolder()
        #expect(
            try await disk.run(
                ["write", "a", "0", "durable"], ["sync", "a"], ["sync-folder", "."], ["write", "a", "0", "DUR"],
                ["write", "a", "7", " and more"]) == [0, 0, 0, 0, 0])
        #expect(disk.text("a") == "DURable and more")
        let inode = disk.inode("a")
        #expect(try disk.losePower(.dropped) == (pending: 2, lost: 2))
        #expect(disk.text("a") == "durable")
        #expect(disk.inode("a") == inode)
        // A second power loss has no pending operations to lose.
        #expect(try disk.losePower(.dropped) == (pending: 0, lost: 0))
        #expect(disk.text("a") == "durable")
    }

    @Test("a name is durable after a sync of its folder, or in a journal after any sync")
    func names() async throws {
        for rule in PowerLoss.Names.allCases {
            let disk = try FaultyDiskFolder()
            try await disk.run(["write", "a", "0", "text"], ["sync", "a"])
            _ = try disk.losePower(.dropped, rule)
            #expect(disk.text("a") == (rule == .byJournal ? "text" : nil))
        }
    }

    @Test("an unsynced rename is undone and restores the replaced file; a synced rename survives")
    func renamed() async throws {
        let disk = try FaultyDiskFolder()
        try await disk.run(
            ["write", "old", "0", "1"], ["write", "new", "0", "2"], ["sync", "old"], ["sync", "new"],
            ["sync-folder", "."])
        let before = (disk.inode("old"), disk.inode("new"))
        try await disk.run(["rename", "new", "old"])
        #expect(disk.names == ["old"])
        _ = try disk.losePower(.dropped)
        #expect(disk.text("old") == "1")
        #expect(disk.text("new") == "2")
        #expect((disk.inode("old"), disk.inode("new")) == before)
        try await disk.run(["rename", "new", "old"], ["sync-folder", "."])
        _ = try disk.losePower(.dropped)
        #expect(disk.names == ["old"])
        #expect(disk.text("old") == "2")
    }

    @Test("unless the folder was synced, removed files are restored and new links are lost")
    func removed() async throws {
        let disk = try FaultyDiskFolder()
        try await disk.run(["write", "a", "0", "text"], ["sync", "a"], ["sync-folder", "."])
        try await disk.run(["remove", "a"], ["link", "nothing", "b"])
        #expect(disk.names == ["b"])
        _ = try disk.losePower(.dropped)
        #expect(disk.names == ["a"])
        #expect(disk.text("a") == "text")
        try await disk.run(["remove", "a"], ["link", "nothing", "b"], ["sync-folder", "."])
        _ = try disk.losePower(.dropped)
        #expect(disk.names == ["b"])
    }

    @Test("a torn write survives up to a sector, or in some of its sectors")
    func torn() async throws {
        func sectors(_ bytes: PowerLoss.Bytes) async throws -> Set<[Bool]> {
            var seen: Set<[Bool]> = []
            let disk = try FaultyDiskFolder()
            let (old, new) = (String(repeating: "o", count: 2048), String(repeating: "n", count: 2048))
            try await disk.run(["write", "a", "0", old], ["sync", "a"], ["sync-folder", "."])
            for _ in 0..<40 {
                try await disk.run(["write", "a", "0", new])
                _ = try disk.losePower(bytes)
                let text = Array(try #require(disk.text("a")))
                #expect(text.count == 2048)
                let parts = (0..<4).map { Set(text[$0 * 512..<$0 * 512 + 512]) }
                #expect(parts.allSatisfy { $0 == ["o"] || $0 == ["n"] }, "a sector is torn")
                seen.insert(parts.map { $0 == ["n"] })
                try await disk.run(["write", "a", "0", old], ["sync", "a"])
            }
            return seen
        }
        let cut = try await sectors(.cut)
        #expect(cut.contains([false, false, false, false]))
        #expect(cut.contains { $0.contains(true) && $0.contains(false) })
        #expect(cut.allSatisfy { !zip($0, $0.dropFirst()).contains { !$0 && $1 } })
        #expect(try await sectors(.mixed).contains { zip($0, $0.dropFirst()).contains { !$0 && $1 } })
    }

    @Test("a later write may survive without an earlier one; a hole reads as zeros")
    func reordered() async throws {
        let disk = try FaultyDiskFolder()
        var seen: Set<String?> = []
        for _ in 0..<60 {
            try await disk.run(
                ["write", "a", "0", ""], ["sync-folder", "."], ["write", "a", "0", "1"], ["write", "a", "1", "2"])
            _ = try disk.losePower(.mixed)
            seen.insert(disk.text("a"))
            try await disk.run(["cut", "a", "0"], ["sync", "a"])
            try disk.fixture.begin()
        }
        #expect(seen == ["", "1", "\0" + "2", "12"])
    }

    @Test("an unsynced truncation is undone, with the removed bytes")
    func cut() async throws {
        let disk = try FaultyDiskFolder()
        try await disk.run(["write", "a", "0", "abcdef"], ["sync", "a"], ["sync-folder", "."])
        try await disk.run(["cut", "a", "2"], ["write", "a", "2", "X"])
        #expect(disk.text("a") == "abX")
        _ = try disk.losePower(.dropped)
        #expect(disk.text("a") == "abcdef")
    }

    @Test("after a failed sync, a successful sync makes durable only what was written in between")
    func failedSync() async throws {
        let disk = try FaultyDiskFolder()
        try await disk.run(["write", "a", "0", "...."], ["sync", "a"], ["sync-folder", "."])
        disk.fixture.setGoodSyncs(0)
        #expect(
            try await disk.run(["write", "a", "0", "1"], ["sync", "a"], ["write", "a", "1", "2"], ["sync", "a"])
                == [0, EIO, 0, 0])
        _ = try disk.losePower(.dropped)
        #expect(disk.text("a") == ".2..")
    }
}
