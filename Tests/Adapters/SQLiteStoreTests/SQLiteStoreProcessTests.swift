// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

/// Serialized, because each test keeps the machine busy with its own processes.
@Suite("SQLiteStore: several processes, and crashes", .serialized)
struct SQLiteStoreProcessTests {
    private static let canTrace = FixtureProcess.succeeds(["strace", "-o", "/dev/null", "true"])
    private static let canMount = FixtureProcess.succeeds([
        "unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt",
    ])
    private static let storeChild = builtProgram("StoreChild")

    @Test("After twenty kills during commits, every acknowledged commit is complete, and no other is partial")
    func killed() async throws {
        let fixture = try StoreFixture()
        let seed = UInt64.random(in: 0 ... .max)
        print("seed of the kills: \(seed)")
        var generator = SplitMix64(seed: seed)
        var acknowledged: Set<String> = []
        var last = TransferID(0)
        for round in 1...20 {
            let child = try FixtureProcess([Self.storeChild, fixture.path, "1000000"], showsErrors: true)
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                acknowledged.insert(try await child.output.next().text)
            }
            try await child.kill()
            acknowledged.formUnion(try await child.output.rest())
            let store = try fixture.open()
            let transfers = try await store.unfinished()
            var kept: Set<String> = []
            for transfer in transfers {
                kept.insert("inserted \(transfer.id)")
                if transfer.isSuspended { kept.insert("checkpointed \(transfer.id)") }
                #expect(transfer.isSuspended == (transfer.resume?.offset == transfer.id.rawValue), "partial commit")
            }
            #expect(acknowledged.subtracting(kept).isEmpty, "lost in round \(round)")
            let specification = StoredTransferSamples.plain(1).specification
            let next = try await store.commit([.submitted(NewTransfer(specification))])[0]
            #expect(next > (transfers.last?.id ?? last))
            try await store.commit([.ended(next, .cancelled)])
            last = next
            await store.close()
        }
        #expect(acknowledged.count >= 20)
    }

    @Test("Eight processes can open and write one database together, with distinct IDs")
    func together() async throws {
        let fixture = try StoreFixture()
        let children = try (0..<8).map { _ in
            try FixtureProcess([Self.storeChild, fixture.path, "40"], showsErrors: true)
        }
        var all: [String] = []
        for child in children {
            let mine = try await child.output.rest()
            #expect(try await child.wait(within: 60) == 0, "\(mine.suffix(5))")
            let numbers = mine.filter { $0.hasPrefix("inserted ") }.compactMap { Int64($0.dropFirst(9)) }
            #expect(numbers == numbers.sorted())
            all += mine
        }
        #expect(all.count == 8 * 40 * 2)
        #expect(Set(all).count == all.count)
        let transfers = try await fixture.open().unfinished()
        #expect(transfers.map(\.id.rawValue) == Array(1...320))
        #expect(transfers.filter(\.isSuspended).count == 320)
    }

    @Test(
        "Every commit reaches the disk: at least as many fdatasync calls as commits",
        .enabled(if: canTrace, "strace is missing or not permitted; install it with apt-get install strace"))
    func synced() async throws {
        let fixture = try StoreFixture()
        let log = fixture.folder.path + "/strace"
        try await FixtureProcess.run([
            "strace", "-f", "-o", log, "-e", "trace=fdatasync,fsync", Self.storeChild, fixture.path, "30",
        ])
        let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("sync(") && $0.hasSuffix("= 0")
        }
        #expect(calls.count >= 60, "60 commits")
    }

    @Test(
        "A full disk loses no acknowledged commit, and the queue continues when there is space",
        .enabled(if: canMount, "mount namespaces are not permitted"))
    func fullDisk() async throws {
        let fixture = try StoreFixture()
        let (small, copy) = (fixture.folder.path + "/small", fixture.folder.path + "/state")
        for folder in [small, copy] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let script = """
            set -u
            mount -t tmpfs -o size=1m,mode=0700 tmpfs "$1" || exit 9
            head -c 700k /dev/zero > "$1/filler"
            "$3" "$1/queue.sqlite" 1000000 2>&1
            echo "first $?"
            rm "$1/filler"
            "$3" "$1/queue.sqlite" 5
            echo "second $?"
            cp "$1"/queue.sqlite* "$2"
            """
        let output = try await FixtureProcess.run([
            "unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", small, copy, Self.storeChild,
        ])
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.contains("first 1"))
        #expect(lines.contains { $0.contains("is full") && $0.contains("Free some space") }, "\(lines.suffix(20))")
        #expect(lines.last == "second 0")
        let kept = Set(try await fixture.open().unfinished().map { "inserted \($0.id)" })
        let acknowledged = Set(lines.filter { $0.hasPrefix("inserted ") })
        #expect(acknowledged.count > 5)
        #expect(acknowledged.subtracting(kept).isEmpty)
    }
}
