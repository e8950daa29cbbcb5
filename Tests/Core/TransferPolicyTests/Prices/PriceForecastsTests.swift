// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("Files of prices")
struct PriceForecastsTests {
    private func date(_ seconds: Int64) -> WallTime { Sample.monday.advanced(by: .seconds(seconds)) }

    @Test("Unix seconds, UTC dates, and dates with zones name the same moments; comments and blanks are skipped")
    func parses() throws {
        let csv = """
            # a tariff
            price, end, start
            0.3, 2026-11-23T01:00Z, 1795392000

            -1e-2,2026-11-23 03:00:00+01:00,2026-11-23T02:00+0100\r
            """
        let forecasts = try PriceForecasts(csv: csv, file: "t.csv")
        #expect(
            forecasts.rows == [
                .init(start: date(0), end: date(3600), price: 0.3),
                .init(start: date(3600), end: date(7200), price: -0.01),
            ])
        #expect(forecasts.settled.end == date(7200))
    }

    @Test(
        "A mistake is reported with its line",
        arguments: [
            ("", "t.csv:1: expected the header"),
            ("start,end\n", "t.csv:1: expected the header"),
            ("start,end,price,zone\n", "t.csv:1: expected the header"),
            ("start,end,price\n1,2\n", "t.csv:2: expected 3 fields, found 2"),
            ("start,end,price\n1,2,x\n", "t.csv:2: expected a number such as 0.25 in 'price', found 'x'"),
            ("start,end,price\n1,2,nan\n", "t.csv:2: expected a number"),
            ("start,end,price\n1,2,0x10\n", "t.csv:2: expected a number"),
            ("start,end,price\n\n2,1,1\n", "t.csv:3: 'end' must be after 'start'"),
            ("start,end,price\n1,2,1e400\n", "t.csv:2: expected a number"),
            ("start,end,price\n2026-11-23T00:00,2,1\n", "in 'start', found '2026-11-23T00:00'"),
            ("start,end,price\n2026-02-30T00:00Z,2,1\n", "in 'start'"),
            ("start,end,price\n9223372036854775807,2,1\n", "in 'start'"),
            ("start,end,price\n1,3,1\n2,4,1\n", "t.csv:3: overlaps another row"),
            ("start,end,price,made\n1,3,1,0\n2,4,1,0\n", "t.csv:3: overlaps another row"),
        ])
    func mistakes(_ csv: String, _ problem: String) {
        let error = #expect(throws: PriceFileError.self) { try PriceForecasts(csv: csv, file: "t.csv") }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test("A forecast counts from the time it was made, and replaces what it overlaps")
    func revisions() {
        let forecasts = PriceForecasts(rows: [
            .init(start: date(0), end: date(7200), price: 1),
            .init(start: date(3600), end: date(10_800), price: 2, made: date(100)),
            .init(start: date(5400), end: date(6000), price: 3, made: date(200)),
        ])
        #expect(forecasts.revisions == [date(100), date(200)])
        func prices(_ seconds: Int64) -> [Double] { forecasts.curve(knownAt: date(seconds)).segments.map(\.price) }
        #expect(prices(99) == [1])
        #expect(prices(100) == [1, 2])
        #expect(prices(200) == [1, 2, 3, 2])
        #expect(forecasts.settled == forecasts.curve(knownAt: date(200)))
        #expect(forecasts.settled.price(at: date(5399)) == 2)
        #expect(forecasts.settled.price(at: date(5400)) == 3)
        #expect(forecasts.settled.price(at: date(10_800)) == nil)
    }

    @Test("On random rows, the price at each moment is the price of the last row that covers it")
    func matchesPlainRule() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let rows = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                let start = Int64.random(in: 0...20, using: &generator)
                return PriceForecasts.Row(
                    start: date(start), end: date(start + Int64.random(in: 1...10, using: &generator)),
                    price: Double(Int.random(in: -3...3, using: &generator)),
                    made: Bool.random(using: &generator) ? date(Int64.random(in: 0...9, using: &generator)) : nil)
            }
            let forecasts = PriceForecasts(rows: rows)
            for known: Int64 in [0, 5, 9] {
                let curve = forecasts.curve(knownAt: date(known))
                for second in Int64(0)..<32 {
                    let covering = rows.enumerated().filter {
                        $1.start <= date(second) && date(second) < $1.end && ($1.made ?? date(-1)) <= date(known)
                    }
                    let last = covering.max { ($0.1.made ?? date(-1), $0.0) < ($1.1.made ?? date(-1), $1.0) }
                    #expect(curve.price(at: date(second)) == last?.1.price)
                }
            }
        }
    }
}
