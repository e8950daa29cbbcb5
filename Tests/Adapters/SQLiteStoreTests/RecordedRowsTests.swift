// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import SQLiteStore

/// Rows in the form that earlier versions of the program wrote. A property that is added to a stored type must be
/// optional, decode to a default, or bring a migration. Otherwise, the queue of a user who updates cannot be read.
/// These texts never change after the version was released.
@Suite("Rows of earlier versions")
struct RecordedRowsTests {
    /// The transfer that the rows store, with every property set that existed then.
    static var expected: StoredTransfer {
        var transfer = StoredTransferSamples.full(7)
        transfer.specification.destination.folderIdentity = nil
        transfer.specification.onComplete = nil
        transfer.specification.cookies = nil
        transfer.specification.traits.policy = nil
        transfer.specification.traits.constraints.patience = nil
        transfer.specification.traits.constraints.price = nil
        return transfer
    }

    @Test("A transfer with all properties set is read unchanged")
    func full() async throws {
        var expected = Self.expected
        expected.hold = nil
        expected.relaunchDelay = nil
        let fixture = try StoreFixture()
        try await fixture.write(version: 3) { database in
            try database.execute(
                sql: "INSERT INTO task (id, key, specification) VALUES (7, 'key', ?)", arguments: [Self.specification])
            try database.execute(
                sql: "INSERT INTO progress (task, resume, retry, is_suspended) VALUES (7, ?, ?, 1)",
                arguments: [Self.resume, Self.retry])
        }
        let store = try fixture.open()
        #expect(try await store.unfinished() == [expected])
    }

    @Test("Holds and statistics are read unchanged", arguments: [2, 3])
    func holds(_ version: Int) async throws {
        let fixture = try StoreFixture()
        try await fixture.write(version: version) { database in
            try database.execute(
                sql: "INSERT INTO task (id, key, specification) VALUES (7, 'key', ?)", arguments: [Self.specification])
            try database.execute(
                sql: """
                    INSERT INTO progress (task, resume, retry, is_suspended, hold, relaunch_hold)
                    VALUES (7, ?, ?, 1, ?, ?)
                    """, arguments: [Self.resume, Self.retry, Self.hold, Self.relaunchDelay])
            try database.execute(sql: "INSERT INTO learned (row, value) VALUES (1, ?)", arguments: [Self.statistics])
        }
        let store = try fixture.open()
        #expect(try await store.unfinished() == [Self.expected])
        var statistics = try StoredTransferSamples.statistics()
        // The versions that wrote these rows did not record the waits of servers.
        statistics.serverWaits = [:]
        #expect(try await store.statistics() == statistics)
    }

    @Test("An upload is read unchanged")
    func upload() async throws {
        let fixture = try StoreFixture()
        try await fixture.write(version: 3) { database in
            try database.execute(
                sql: "INSERT INTO task (id, specification) VALUES (4, ?)", arguments: [Self.upload])
            try database.execute(
                sql: "INSERT INTO progress (task, resume, is_suspended) VALUES (4, ?, 0)",
                arguments: [Self.uploadResume])
        }
        let store = try fixture.open()
        #expect(try await store.unfinished() == [StoredTransferSamples.upload(4)])
    }

    @Test("Every ending is read unchanged", arguments: Array(endings.enumerated()))
    func ending(_ sample: (offset: Int, element: String)) async throws {
        let fixture = try StoreFixture()
        try await fixture.write(version: 3) { database in
            try database.execute(
                sql: "INSERT INTO task (id, key, specification, ending) VALUES (7, 'key', ?, ?)",
                arguments: [Self.specification, sample.element])
        }
        let store = try fixture.open()
        #expect(try await store.latest(forKey: "key")?.ending == StoredTransferSamples.endings[sample.offset])
        #expect(Self.endings.count == StoredTransferSamples.endings.count)
    }

    static let specification = #"""
        {"allowsInsecureRedirect":true,"checksum":{"algorithm":"sha512","hexDigest":"abcdef"},
        "completedBefore":{"bytes":1099511627776,"modified":-1,"path":"/tmp/x","validator":
        {"entityTag":"W/\"a\\\"b'\u0000\"","lastModified":"Sat, 21 Nov 2026 02:36:44 GMT"}},
        "destination":{"collision":"overwrite","directory":"/tmp/a folder/'\"","name":"name\n.bin"},
        "headers":[{"name":"Authorization","value":"Bearer S3CR3T-5f0c1d"},
        {"name":"X-Odd","value":"tab\tquote\"back\\slash null\u0000 é 🚚 '; DROP TABLE task; --"}],
        "idleTimeoutSeconds":7,"keepsErrorBody":true,"maximumBytes":9223372036854775807,
        "traits":{"app":"org.example.App","constraints":{"deadline":{"date":{"nanosecondsSinceEpoch":9223372036854775807}},
        "linkKinds":{"any":{}},"metered":"unstated","notBefore":{"date":{"nanosecondsSinceEpoch":-9223372036854775808}},
        "power":{"any":{}},"window":{"windows":[{"end":3600,"start":0}]}},"expectedBytesToReceive":0,
        "host":"https://example.org:443","isLoopback":true,"kind":"userInitiated","priority":1000,
        "submitted":{"nanosecondsSinceEpoch":1795228604123456789}},
        "url":"https://user:S3CR3T-5f0c1d@example.org/päth?token=S3CR3T-5f0c1d#x","usesRemoteTime":true}
        """#

    static let resume = #"""
        {"bootID":"boot","fileNumber":18446744073709551615,"offset":8388608,"path":"/tmp/.part","validator":
        {"entityTag":"W/\"a\\\"b'\u0000\"","lastModified":"Sat, 21 Nov 2026 02:36:44 GMT"}}
        """#

    private static let upload = #"""
        {"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/"},"headers":[],
        "idleTimeoutSeconds":60,"keepsErrorBody":false,
        "traits":{"app":"","constraints":{"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},
        "expectedBytesToSend":5368709120,"host":"https://example.org:443","isLoopback":false,"kind":"normal",
        "priority":500,"submitted":{"nanosecondsSinceEpoch":4000000000}},
        "upload":{"contentType":"text/plain","method":"POST","modified":1795228604123456789,"path":"/tmp/é",
        "resumption":"automatic","size":5368709120},"url":"https://example.org/files/","usesRemoteTime":false}
        """#

    private static let uploadResume = #"""
        {"bootID":"","offset":4294967297,"path":"","total":5368709120,
        "upload":{"kind":"tus","modified":1795228604123456789,"url":"https://example.org/uploads/1"}}
        """#

    static let retry =
        #"{"attempts":3,"cause":{"status":{"_0":503}},"until":{"nanosecondsSinceEpoch":1795228700000000000}}"#

    private static let hold = #"{"holder":"a \"person\"","why":"later\n'; --"}"#

    private static let relaunchDelay = #"{"relaunch":9223372036854775807}"#

    private static let statistics = #"""
        {"budgets":{"apps":{"org.example.App":{"billingDay":5,"current":{"firstDay":20762,"used":1},"limit":1000000}},
        "connections":{"a \"café\"'s":{"billingDay":5,"current":{"firstDay":20762,"used":1},"limit":1000000}}},
        "history":{"apps":{"apps":{"org.example.App":{"runs":[{"end":{"nanosecondsSinceEpoch":1795399200000000000},
        "start":{"nanosecondsSinceEpoch":1795392000000000000}}]}}},
        "conditions":{"withoutAC":7200000000000,"withoutUnmetered":7200000000000},
        "contacts":{"contacts":[],"current":{"gap":7200000000000,"length":0}},
        "spending":{"bytes":0,"day":-9223372036854775808,"month":-9223372036854775808,"percent":0},
        "week":{"current":{"good":0,"hour":498793,"observed":3600000000000},"samples":{"0":[{"good":0,"week":2969}]}}},
        "limiters":{"org.example.App":{"boot":"boot","bootNanoseconds":1,"cohorts":[{"relaunch":1,"unfinished":1,
        "untilRelease":60000000000}],"expectsRelaunch":false,"lastNumber":1,"relaunches":1,"sinceRelaunch":0,
        "wall":{"nanosecondsSinceEpoch":1795392000000000000}}},"typicalRate":1}
        """#

    private static let endings = [
        #"""
        {"completed":{"_0":{"file":{"bytes":0,"modified":1,"path":"/tmp/é","validator":{"entityTag":"\"e\""}},
        "status":200,"wasAlreadyComplete":true}}}
        """#,
        #"{"completed":{"_0":{"status":404,"wasAlreadyComplete":false}}}"#,
        #"""
        {"completed":{"_0":{"answer":{"contentType":"a/b","isCut":true,"latin1":"ÿ\u0000"},"status":201,
        "wasAlreadyComplete":false}}}
        """#,
        #"{"failed":{"_0":{"cause":{"status":{"_0":410}},"message":"gone","retryAfterSeconds":3}}}"#,
        #"{"failed":{"_0":{"cause":{"certificate":{}},"message":"not valid"}}}"#,
        #"{"cancelled":{}}"#,
    ]
}

extension StoreFixture {
    /// Creates a database in the form of an earlier version.
    func write(version: Int, _ body: @escaping @Sendable (Database) throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/state", withIntermediateDirectories: true)
        let old = try raw()
        try await old.writeWithoutTransaction { [path] database in
            try Schema.migrate(database, path: path, to: Array(Schema.migrations.prefix(version)))
            try body(database)
        }
        try old.close()
    }
}
