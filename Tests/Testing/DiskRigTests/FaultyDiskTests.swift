// SPDX-License-Identifier: Apache-2.0
import DiskRig
import Foundation
import Testing

@Suite("A disk that loses its power, fills up and slows down")
struct FaultyDiskTests {
    @Test("what was synced survives, what was not is gone, and the file is the same one as before")
    func synced() throws {
        let place = try DiskPlace()
        #expect(
            try place.run(
                ["write", "a", "0", "durable"], ["sync", "a"], ["sync-folder", "."], ["write", "a", "0", "DUR"],
                ["write", "a", "7", " and more"]) == [0, 0, 0, 0, 0])
        #expect(place.text("a") == "DURable and more")
        let inode = place.inode("a")
        #expect(try place.losePower(.dropped) == (pending: 2, lost: 2))
        #expect(place.text("a") == "durable")
        #expect(place.inode("a") == inode)
        // A second power loss has no pending operations to lose.
        #expect(try place.losePower(.dropped) == (pending: 0, lost: 0))
        #expect(place.text("a") == "durable")
    }

    @Test("a name is durable when its folder was synced; where the journal is, when anything was")
    func names() throws {
        for rule in PowerLoss.Names.allCases {
            let place = try DiskPlace()
            try place.run(["write", "a", "0", "text"], ["sync", "a"])
            _ = try place.losePower(.dropped, rule)
            #expect(place.text("a") == (rule == .byJournal ? "text" : nil))
        }
    }

    @Test("a renaming that was not synced did not happen, and who was replaced is back; a synced one did")
    func renamed() throws {
        let place = try DiskPlace()
        try place.run(
            ["write", "old", "0", "1"], ["write", "new", "0", "2"], ["sync", "old"], ["sync", "new"],
            ["sync-folder", "."])
        let before = (place.inode("old"), place.inode("new"))
        try place.run(["rename", "new", "old"])
        #expect(place.names == ["old"])
        _ = try place.losePower(.dropped)
        #expect(place.text("old") == "1")
        #expect(place.text("new") == "2")
        #expect((place.inode("old"), place.inode("new")) == before)
        try place.run(["rename", "new", "old"], ["sync-folder", "."])
        _ = try place.losePower(.dropped)
        #expect(place.names == ["old"])
        #expect(place.text("old") == "2")
    }

    @Test("what was removed is back with its bytes, and links are gone, unless the folder was synced")
    func removed() throws {
        let place = try DiskPlace()
        try place.run(["write", "a", "0", "text"], ["sync", "a"], ["sync-folder", "."])
        try place.run(["remove", "a"], ["link", "nothing", "b"])
        #expect(place.names == ["b"])
        _ = try place.losePower(.dropped)
        #expect(place.names == ["a"])
        #expect(place.text("a") == "text")
        try place.run(["remove", "a"], ["link", "nothing", "b"], ["sync-folder", "."])
        _ = try place.losePower(.dropped)
        #expect(place.names == ["b"])
    }

    @Test("names go in their order: of three changes those that stay are the first")
    func orderOfNames() throws {
        let place = try DiskPlace()
        try place.run(["write", "a", "0", ""], ["write", "b", "0", ""], ["rename", "a", "c"])
        #expect(try place.losePower(.kept, keptNames: 67).lost == 1)
        #expect(place.names == ["a", "b"])
    }

    @Test("a torn write is there up to a sector, or some sectors of it are and others are not")
    func torn() throws {
        func sectors(_ bytes: PowerLoss.Bytes) throws -> Set<[Bool]> {
            var seen: Set<[Bool]> = []
            let place = try DiskPlace()
            let (old, new) = (String(repeating: "o", count: 2048), String(repeating: "n", count: 2048))
            try place.run(["write", "a", "0", old], ["sync", "a"], ["sync-folder", "."])
            for _ in 0..<40 {
                try place.run(["write", "a", "0", new])
                _ = try place.losePower(bytes)
                let text = Array(try #require(place.text("a")))
                #expect(text.count == 2048)
                let parts = (0..<4).map { Set(text[$0 * 512..<$0 * 512 + 512]) }
                #expect(parts.allSatisfy { $0 == ["o"] || $0 == ["n"] }, "a sector is torn")
                seen.insert(parts.map { $0 == ["n"] })
                try place.run(["write", "a", "0", old], ["sync", "a"])
            }
            return seen
        }
        let cut = try sectors(.cut)
        #expect(cut.contains([false, false, false, false]))
        #expect(cut.contains { $0.contains(true) && $0.contains(false) })
        #expect(cut.allSatisfy { !zip($0, $0.dropFirst()).contains { !$0 && $1 } })
        #expect(try sectors(.mixed).contains { zip($0, $0.dropFirst()).contains { !$0 && $1 } })
    }

    @Test("a later write may be there without an earlier one; a hole reads as zeroes")
    func reordered() throws {
        let place = try DiskPlace()
        var seen: Set<String?> = []
        for _ in 0..<60 {
            try place.run(
                ["write", "a", "0", ""], ["sync-folder", "."], ["write", "a", "0", "1"], ["write", "a", "1", "2"])
            _ = try place.losePower(.mixed)
            seen.insert(place.text("a"))
            try place.run(["cut", "a", "0"], ["sync", "a"])
            try place.rig.begin()
        }
        #expect(seen == ["", "1", "\0" + "2", "12"])
    }

    @Test("a cut that was not synced is taken back with the bytes that it took away")
    func cut() throws {
        let place = try DiskPlace()
        try place.run(["write", "a", "0", "abcdef"], ["sync", "a"], ["sync-folder", "."])
        try place.run(["cut", "a", "2"], ["write", "a", "2", "X"])
        #expect(place.text("a") == "abX")
        _ = try place.losePower(.dropped)
        #expect(place.text("a") == "abcdef")
    }

    @Test("after a sync that failed, a later one that went well makes durable only what was written in between")
    func failedSync() throws {
        let place = try DiskPlace()
        try place.run(["write", "a", "0", "...."], ["sync", "a"], ["sync-folder", "."])
        place.rig.setGoodSyncs(0)
        #expect(
            try place.run(["write", "a", "0", "1"], ["sync", "a"], ["write", "a", "1", "2"], ["sync", "a"])
                == [0, EIO, 0, 0])
        _ = try place.losePower(.dropped)
        #expect(place.text("a") == ".2..")
    }

    @Test("a full disk takes what fits and no more; what is overwritten takes no room")
    func full() throws {
        let place = try DiskPlace()
        place.rig.setRoom(4)
        #expect(try place.run(["write", "a", "0", "123456"]) == [ENOSPC])
        #expect(place.text("a") == "1234")
        #expect(try place.run(["write", "a", "0", "abcd"], ["write", "a", "4", "e"]) == [0, ENOSPC])
        place.rig.setRoom(nil)
        #expect(try place.run(["write", "a", "4", "e"]) == [0])
        #expect(place.text("a") == "abcde")
    }

    @Test("a power loss is followed by another boot, and nothing else is")
    func boots() throws {
        let place = try DiskPlace()
        func boot() throws -> String {
            let child = try place.start("DiskChild", ["show", "/proc/sys/kernel/random/boot_id"])
            let output = child.output.fileHandleForReading.readDataToEndOfFile()
            child.process.waitUntilExit()
            return String(decoding: output, as: UTF8.self)
        }
        let first = try boot()
        #expect(first.count > 30)
        #expect(try boot() == first)
        _ = try place.losePower(.kept)
        #expect(try boot() != first)
    }

    @Test("a slow disk takes its time, and writes may be short")
    func slow() throws {
        let place = try DiskPlace()
        place.rig.setDelay(microseconds: 50_000)
        place.rig.setMostAtOnce(1)
        let clock = ContinuousClock()
        let took = try clock.measure { try place.run(["write", "a", "0", "12345"], ["sync", "a"]) }
        #expect(place.text("a") == "12345")
        // Five writes and a sync, each delayed by 50 ms.
        #expect(took >= .milliseconds(300))
    }
}
