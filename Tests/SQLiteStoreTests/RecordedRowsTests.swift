// SPDX-License-Identifier: Apache-2.0
import GRDB
import Testing
import TransferEngine
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

/// Rows as version 1 of the schema wrote them. A property that is added to a stored type must be optional, or decode
/// to a default, or bring a migration: else the queue of somebody who updates cannot be read. These texts stay as they
/// are once that version was released.
@Suite("Rows of earlier versions")
struct RecordedRowsTests {
    @Test("a transfer with everything set is read as it was")
    func full() async throws {
        let place = try Place()
        let store = try place.open()
        try await place.raw().write { database in
            try database.execute(
                sql: "INSERT INTO task (id, key, specification) VALUES (7, 'key', ?)", arguments: [Self.specification])
            try database.execute(
                sql: "INSERT INTO progress (task, resume, retry, is_suspended) VALUES (7, ?, ?, 1)",
                arguments: [Self.resume, Self.retry])
        }
        #expect(try await store.unfinished() == [StoredTransferSamples.full(7)])
    }

    @Test("every ending is read as it was", arguments: Array(endings.enumerated()))
    func ending(_ sample: (offset: Int, element: String)) async throws {
        let place = try Place()
        let store = try place.open()
        try await place.raw().write { database in
            try database.execute(
                sql: "INSERT INTO task (id, key, specification, ending) VALUES (7, 'key', ?, ?)",
                arguments: [Self.specification, sample.element])
        }
        #expect(try await store.latest(forKey: "key")?.ending == StoredTransferSamples.endings[sample.offset])
        #expect(Self.endings.count == StoredTransferSamples.endings.count)
    }

    private static let specification = #"""
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

    private static let resume = #"""
        {"bootID":"boot","fileNumber":18446744073709551615,"offset":8388608,"path":"/tmp/.part","validator":
        {"entityTag":"W/\"a\\\"b'\u0000\"","lastModified":"Sat, 21 Nov 2026 02:36:44 GMT"}}
        """#

    private static let retry =
        #"{"attempts":3,"cause":{"status":{"_0":503}},"until":{"nanosecondsSinceEpoch":1795228700000000000}}"#

    private static let endings = [
        #"""
        {"completed":{"_0":{"file":{"bytes":0,"modified":1,"path":"/tmp/é","validator":{"entityTag":"\"e\""}},
        "status":200,"wasAlreadyComplete":true}}}
        """#,
        #"{"completed":{"_0":{"status":404,"wasAlreadyComplete":false}}}"#,
        #"{"failed":{"_0":{"cause":{"status":{"_0":410}},"message":"gone","retryAfterSeconds":3}}}"#,
        #"{"failed":{"_0":{"cause":{"certificate":{}},"message":"not valid"}}}"#,
        #"{"cancelled":{}}"#,
    ]
}
