// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@Suite("Dates on the bus")
struct BusDateTests {
    @Test(
        "A date is formatted as RFC 3339 in UTC with milliseconds",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_709_164_799_999_999_999, "2024-02-28T23:59:59.999Z"),
            (1_709_164_800_000_000_000, "2024-02-29T00:00:00.000Z"),
            (1_700_000_000_001_000_000, "2023-11-14T22:13:20.001Z"), (-86_400_000_000_000, "1969-12-31T00:00:00.000Z"),
            (.max, "2262-04-11T23:47:16.854Z"), (.min, "1677-09-21T00:12:43.145Z"),
        ])
    func text(nanoseconds: Int64, text: String) {
        #expect(BusDate(WallTime(nanosecondsSinceEpoch: nanoseconds)).description == text)
    }

    @Test("A formatted date is parsed as the same date")
    func round() throws {
        for milliseconds in stride(from: Int64(-2_000_000_000_000), to: 8_000_000_000_000, by: 97_777_777_777) {
            let date = BusDate(WallTime(nanosecondsSinceEpoch: milliseconds * 1_000_000))
            #expect(BusDate(parsing: date.description) == date, "\(date)")
        }
    }
}
