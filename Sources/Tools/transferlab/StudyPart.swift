// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab

/// A part of a study as stored in a file.
struct StudyPart: Codable {
    /// The properties that all parts of a study share.
    struct Header: Codable, Equatable {
        var shards: Int
        var policies: [String]
        var devices: [String]
        var costs: [Double]
        var penalty: Double
        var wifiRate: Int64
        var seed: UInt64
        /// A checksum that identifies the jobs. The checksum does not cover the traces, because each trace is read
        /// for only one part.
        var workload: UInt64
        /// The options that affect results.
        var options: String

        private enum CodingKeys: String, CodingKey {
            case shards
            case policies
            case devices
            case costs
            case penalty
            case wifiRate = "freeRate"
            case seed
            case workload
            case options
        }
    }

    struct Item: Codable {
        /// The device's index in the study.
        var device: Int
        /// The outcomes by policy; `nil` for the optimum.
        var outcomes: [DeviceOutcome?]
        var optimum: Optimum
    }

    var header: Header
    var shard: Int
    var items: [Item]

    init(header: Header, shard: Int, items: [Item]) {
        self.header = header
        self.shard = shard
        self.items = items
    }

    init(_ bytes: [UInt8], file: String) throws {
        do {
            self = try JSONDecoder().decode(StudyPart.self, from: Data(bytes))
        } catch {
            throw UsageError("\(file) is not a part written by 'shard': \(Self.reason(error))")
        }
        guard header.shards > 0, header.costs.count == CostClass.allCases.count,
            items.allSatisfy({
                header.devices.indices.contains($0.device) && $0.outcomes.count == header.policies.count
            })
        else { throw UsageError("\(file) is not a part written by 'shard': its numbers are inconsistent") }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' has the wrong type"
        case DecodingError.dataCorrupted(let context): context.debugDescription
        default: "\(error)"
        }
    }

    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// Returns a checksum that is unlikely to be the same for other bytes (FNV-1a, Fowler, Noll and Vo).
    static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

extension StudyOptions {
    /// The options that affect results and appear nowhere else in the header, as text for comparison.
    var optionText: String { "cellRate=\(cellRate) concurrency=\(concurrency) daemon=\(daemon)" }
}
