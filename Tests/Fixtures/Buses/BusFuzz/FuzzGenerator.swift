// SPDX-License-Identifier: Apache-2.0
import RawBus
import TransferModel
import TransferPolicy

/// Generates arguments that are mostly valid, and invalid in ways that reach deep into the parsers.
struct FuzzGenerator {
    var random: SplitMix64
    /// The percentage of values that do not have the type that their key requires.
    var wrongness = 6
    /// The number of descriptors that can be passed. Messages refer to descriptors by index.
    let descriptorCount: Int

    init(seed: UInt64, descriptorCount: Int) {
        random = SplitMix64(seed: seed)
        self.descriptorCount = descriptorCount
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }

    // MARK: Dictionaries

    /// Returns a dictionary with some of the keys, and occasionally with unknown, duplicate, or hostile keys.
    mutating func dictionary(_ keys: [FuzzKey], needed: Set<String> = [], share: Int = 12) -> WireValue {
        var entries: [(String, WireValue)] = []
        for key in keys {
            let isDrawn = needed.contains(key.name) ? !chance(2) : chance(share)
            if isDrawn { entries.append((key.name, chance(wrongness) ? invalidValue() : validValue(key.kind))) }
        }
        if chance(3) { entries.append((hostileText(), invalidValue())) }
        if chance(3), let entry = entries.first { entries.append((entry.0, invalidValue())) }
        if chance(3) { entries.shuffle(using: &random) }
        return .dictionary(entries)
    }

    /// Returns a value of the kind that a key requires.
    mutating func validValue(_ kind: FuzzKey.Kind) -> WireValue {
        switch kind {
        case .text(let texts): .string(chance(90) ? pick(Array(texts.prefix(2))) : pick(texts))
        case .number(let numbers): .int64(pick(numbers))
        case .real(let numbers): .double(pick(numbers))
        case .flag: .boolean(chance(50))
        case .texts(let texts): .texts((0..<number(0..<4)).map { _ in pick(texts) })
        case .pairs:
            .array(
                of: "(ss)",
                (0..<number(0..<4)).map { _ in .structure([.string(headerName()), .string(headerText())]) })
        case .map: .dictionary((0..<number(0..<4)).map { _ in (headerName(), .string(headerText())) })
        case .windows:
            .array(
                of: "(xx)",
                (0..<number(0..<4)).map { _ in
                    let start = Int64(number(0..<604_800))
                    return .structure([.int64(start), .int64(start + Int64(number(1..<604_800)))])
                })
        case .descriptor: .handle(UInt32(chance(95) ? number(0..<max(1, descriptorCount)) : number(0..<1000)))
        case .dictionary(let keys): dictionary(keys, needed: ["url", "task", "request", "status"])
        }
    }

    private mutating func headerName() -> String {
        let names = ["X-A", "Accept", "Cookie", "Range", "Host", "Content-Length", "Authorization"]
        return chance(85) ? pick(names) : hostileText()
    }

    private mutating func headerText() -> String { chance(80) ? "1" : hostileText() }

    // MARK: Wrong values

    /// Returns a value of a random type.
    mutating func invalidValue(depth: Int = 0) -> WireValue {
        switch number(0..<(depth < 4 ? 17 : 12)) {
        case 0: .int64(hugeNumber())
        case 1: .uint64(pick([0, 1, .max, 1 << 63, UInt64(Int64.max) + 1]))
        case 2: .int32(pick([0, -1, .min, .max]))
        case 3: .uint32(pick([0, 1, .max]))
        case 4: .int16(pick([0, -1, .min]))
        case 5: .byte(pick([0, 255]))
        case 6: .double(pick([.nan, .infinity, -.infinity, -0.0, 1e308, .leastNonzeroMagnitude, .signalingNaN]))
        case 7: .boolean(chance(50))
        case 8, 9: .string(hostileText())
        case 10: .path(pick(["/", "/org/transferd/transfer/1"]))
        case 11: .handle(pick([0, 1, 1000, .max]))
        case 12: .texts((0..<number(0..<6)).map { _ in hostileText() })
        case 13: .dictionary((0..<number(0..<5)).map { _ in (hostileText(), invalidValue(depth: depth + 1)) })
        // D-Bus closes a connection whose messages nest deeper than 64 levels.
        case 14: nested(levels: number(2..<12))
        case 15: .array(of: "v", (0..<number(0..<6)).map { _ in .variant(invalidValue(depth: depth + 1)) })
        default: pick([.array(of: "y", []), .array(of: "x", []), .array(of: "a{sv}", []), .signature("a{sv}")])
        }
    }

    private mutating func nested(levels: Int) -> WireValue {
        var value = WireValue.int64(1)
        for _ in 0..<levels {
            value = chance(50) ? .dictionary([("request", value)]) : .array(of: "v", [.variant(value)])
        }
        return value
    }

    /// Returns a number at or beyond a boundary.
    mutating func hugeNumber() -> Int64 {
        pick([
            .max, .min, 9_000_000_000_000_000_000, -1, 0, 1, 10_000, 10_001, 1 << 31, 1 << 32, 1 << 53, 1001,
            Int64(Int32.min), .max - 1, .min + 1, 4_102_444_800, 253_402_300_800,
        ])
    }

    /// Returns a text that breaks naive code.
    mutating func hostileText() -> String {
        switch number(0..<20) {
        case 0: ""
        case 1: "\u{202E}gpj.exe"
        case 2: "\u{2066}a\u{2069}\u{200B}"
        case 3: "../../../etc/passwd"
        case 4: "a\r\nX-Injected: 1"
        case 5: "\u{1}\u{1B}[2J\u{7F}"
        case 6: String(repeating: "a", count: pick([255, 256, 4096, 4097, 32_769, 65_537]))
        case 7: String(repeating: "é", count: pick([127, 128, 2048, 20_000]))
        case 8: "'; DROP TABLE transfers; --"
        case 9: "%s%n%00"
        case 10: "e\u{301}\u{301}\u{301}\u{301}"
        case 11: "👩‍👩‍👧‍👦"
        case 12: "\u{FEFF}x"
        case 13: pick(FuzzKey.urls)
        case 14: pick(FuzzKey.dates)
        case 15: "9000000000000000000"
        case 16: "NaN"
        case 17: "/proc/self/fd/0"
        default: chance(2) ? String(repeating: "x", count: 1 << 20) : "x"
        }
    }
}
