// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The content of a source of the user, before parsing.
struct SourceContent: Hashable, Sendable, Codable {
    /// The name of the source.
    var name: String
    /// The text of the source.
    var text = ""
    /// The reason for a failed read; `nil` if the read succeeded.
    var problem: String?

    /// The maximum size of a text, in bytes.
    static let sizeLimit = 4 << 20
    /// The beginning of each note about prices.
    static let noteStart = "the price curve is not current: "

    /// Parses the content.
    ///
    /// - Throws: A `PriceNote` if the content could not be read, or is invalid.
    func forecasts() throws(PriceNote) -> PriceForecasts {
        if let problem { throw PriceNote(text: "\(Self.noteStart)\(name) \(problem)") }
        do {
            return try PriceForecasts(csv: text, file: name)
        } catch {
            throw PriceNote(text: "\(Self.noteStart)\(error)")
        }
    }
}

/// A problem with prices, as a sentence for users.
struct PriceNote: Error {
    var text: String
}

/// The last valid prices, and the curve that is known of them.
struct PriceReading: Hashable, Sendable {
    /// The known prices; `nil` without a valid source.
    private(set) var curve: PriceCurve?
    /// Whether there is a source.
    private(set) var hasSource = false
    /// The problem of the last read; `nil` if there is none.
    private(set) var problem: String?
    private var forecasts: PriceForecasts?

    /// Processes what was read. Returns the time after which the source must be read again, because a forecast becomes
    /// known or the prices end; `nil` if there is no such time.
    mutating func process(_ content: SourceContent?, at now: WallTime) -> Duration? {
        hasSource = content != nil
        guard let content else {
            self = PriceReading()
            return nil
        }
        do {
            (forecasts, problem) = (try content.forecasts(), nil)
        } catch {
            // The last valid prices still count.
            problem = error.text
        }
        curve = forecasts?.curve(knownAt: now)
        let next = [forecasts?.revisions.first { $0 > now }, curve?.end.flatMap { $0 > now ? $0 : nil }]
        return next.compactMap { $0 }.min().map { now.duration(to: $0) }
    }
}

extension Readings {
    /// The prices as a fact.
    var observedPrices: ConditionsMerger.ObservedValue<PriceCurve?> {
        prices.hasSource
            ? .init(value: prices.curve, source: .priceCurve, confidence: .reported)
            : .init(value: nil, source: .none, confidence: .assumed)
    }
}
