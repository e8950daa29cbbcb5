// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferModel
import TransferPolicy

/// The options for prices of energy.
struct PriceOptions: ParsableArguments {
    @Option(
        help: """
            A file with prices of energy (CSV: start, end, price, and optionally made, the time from which a forecast is \
            known). Policies see the forecasts; costs follow the prices that came true.
            """)
    var priceCurve: String?

    @Option(help: "The cost of 10^6 bytes at a price of 1, in addition to --costs.")
    var priceWeight: Double = 1

    func validate() throws {
        guard priceWeight >= 0, priceWeight.isFinite else { throw ValidationError("--price-weight must be 0 or more") }
    }

    /// Reads the prices into the settings of a replay.
    func apply(to settings: inout ReplaySettings) throws {
        guard let priceCurve else { return }
        guard let text = String(validating: try Files.read(priceCurve), as: UTF8.self) else {
            throw UsageError("\(priceCurve) is not UTF-8 text")
        }
        do {
            settings.prices = try PriceForecasts(csv: text, file: priceCurve)
        } catch {
            throw UsageError("\(error)")
        }
        settings.priceWeight = priceWeight
    }

    /// Checks that the prices cover traces, because bytes at a time without a price would seem to cost nothing.
    func check(_ traces: [Trace], _ settings: ReplaySettings) throws {
        for trace in traces {
            guard let date = settings.firstDateWithoutPrice(in: trace) else { continue }
            throw UsageError(
                "\(priceCurve ?? "") has no price at \(date.secondsSinceEpoch), within the trace \(trace.device) "
                    + "(\(trace.start.secondsSinceEpoch) to \(trace.end.secondsSinceEpoch)); prices must cover all traces"
            )
        }
    }
}
