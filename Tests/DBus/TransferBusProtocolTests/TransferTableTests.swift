// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@Suite("Table of transfers")
struct TransferTableTests {
    private static let rows: [TransferStatus] = {
        let plain = TransferStatus(
            id: TransferID(7), url: "http://a/", name: "n", app: "app", isUpload: false, kind: .normal, priority: 500,
            state: .waiting, submitted: WallTime(nanosecondsSinceEpoch: 1_700_000_000_123_000_000))
        var full = TransferStatus(
            id: TransferID(3), url: "http://b/ä", name: "", app: "app", session: "s", isUpload: true,
            kind: .discretionary, priority: 0, state: .failed,
            submitted: WallTime(nanosecondsSinceEpoch: 0))
        (full.bytes, full.total, full.rate, full.attempt) = (1, 0, 3, 4)
        (full.sentence, full.path, full.status) = ("why", "/p", 404)
        (full.errorCode, full.error) = ("status", "no")
        (full.deadline, full.deadlineState) = (WallTime(secondsSinceEpoch: 1_700_000_500), .missed)
        var other = plain
        (other.id, other.state, other.session) = (TransferID(9), .running, "")
        return [plain, full, other]
    }()

    /// Converts values to the types that the interface declares and back, as the bus does.
    private func sent(
        _ values: [VariantValue], _ type: String = "(a{sax}a{s(asax)})"
    ) throws -> [VariantValue] {
        VariantValue(copying: try VariantValue.list(values).variant(ofType: type)).items
    }

    @Test("Statuses survive a round trip in the same order")
    func round() throws {
        #expect(try TransferTable.rows(sent(TransferTable.values(of: Self.rows))) == Self.rows)
        #expect(try TransferTable.rows(sent(TransferTable.values(of: []))) == [])
        let packed = "(a{say}a{s(ayayay)})"
        #expect(try TransferTable.rows(sent(TransferTable.packed(Self.rows), packed)) == Self.rows)
        #expect(try TransferTable.rows(sent(TransferTable.packed([]), packed)) == [])
    }

    @Test("A text that transfers share is sent once")
    func shared() throws {
        let texts = try #require(TransferTable.values(of: Self.rows).last?.dictionary)
        #expect(texts["app"] == .list([.list([.string("app")]), .list([.integer(0), .integer(0), .integer(0)])]))
        #expect(texts["session"]?.items.last == .list([.integer(-1), .integer(0), .integer(1)]))
    }

    @Test("A packed table leaves out columns without values, and the indices of texts that all differ")
    func packed() throws {
        var rows = Self.rows
        (rows[0].url, rows[1].total) = ("http://c/", nil)
        let values = TransferTable.packed(rows).compactMap(\.dictionary)
        #expect(values[0]["total"] == nil && values[0]["rate"] != nil)
        #expect(values[1]["url"]?.items.last == .bytes([]))
        #expect(values[1]["app"]?.items.first == .bytes(Array("app".utf8)))
        #expect(try TransferTable.rows(values.map(VariantValue.dictionary)) == rows)
    }

    @Test("A packed table with an incomplete or inconsistent column is refused")
    func packedRefused() throws {
        let whole = TransferTable.packed(Self.rows).compactMap(\.dictionary)
        let number = { (number: UInt8) in [number, 0, 0, 0, 0, 0, 0, 0] }
        let texts = VariantValue.bytes(Array("waiting".utf8))
        let columns: [(part: Int, key: String, value: VariantValue)] = [
            (0, "bytes", .bytes([1, 2, 3])), (0, "bytes", .bytes(number(1))), (0, "id", .string("1")),
            (1, "state", .list([texts, .bytes(number(8)), .bytes(number(0) + number(0) + number(0))])),
            (1, "state", .list([texts, .bytes(number(7) + number(3)), .bytes(number(0) + number(0) + number(0))])),
            (1, "state", .list([texts, .bytes(number(7)), .bytes(number(0) + number(0) + number(1))])),
            (1, "state", .list([texts, .bytes(number(7)), .bytes([])])), (1, "state", .list([texts])),
        ]
        for (part, key, value) in columns {
            var values = whole
            values[part][key] = value
            #expect(throws: BusFault.self, "\(key) \(value)") {
                try TransferTable.rows(values.map(VariantValue.dictionary))
            }
        }
    }

    @Test("Unknown columns are ignored, and optional columns may be missing")
    func versions() throws {
        var values = TransferTable.values(of: Self.rows).compactMap(\.dictionary)
        values[0]["later"] = .list([])
        values[0]["rate"] = nil
        values[1]["error"] = nil
        let rows = try TransferTable.rows(values.map(VariantValue.dictionary))
        #expect(rows.map(\.rate) == [nil, nil, nil])
        #expect(rows[1].error == nil)
        #expect(rows[1].errorCode == "status")
    }

    @Test("An incomplete or inconsistent reply is refused")
    func refused() throws {
        let whole = TransferTable.values(of: Self.rows).compactMap(\.dictionary)
        var bad: [[[String: VariantValue]]] = []
        for key in ["url", "name", "state"] {
            var values = whole
            values[1][key] = nil
            bad.append(values)
        }
        var values = whole
        values[0]["bytes"] = .list([.integer(1)])
        bad.append(values)
        values = whole
        values[1]["state"] = .list([.list([.string("waiting")]), .list([.integer(0), .integer(1), .integer(0)])])
        bad.append(values)
        values = whole
        values[1]["state"] = .list([.list([.string("odd")]), .list([.integer(0), .integer(0), .integer(0)])])
        bad.append(values)
        values = whole
        values[0]["id"] = .list([.integer(1), .integer(-1), .integer(2)])
        bad.append(values)
        for values in bad {
            #expect(throws: BusFault.self, "\(values)") { try TransferTable.rows(values.map(VariantValue.dictionary)) }
        }
    }
}
