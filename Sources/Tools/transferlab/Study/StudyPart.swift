// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab
import TransferScheduling

/// The results of a part of a study, as one line of JSON.
///
/// The size does not depend on the number of devices. A line of `transferlab devices` is a part with one device.
struct StudyPart: Codable {
    /// The properties that all parts of a study share.
    struct Header: Codable, Equatable {
        /// The version of the format.
        var format = 3
        var policies: [String]
        var costs: [Double]
        var penalty: Double
        var wifiRate: Int64
        var seed: UInt64
        /// A checksum that identifies the jobs.
        var workload: UInt64
        /// The options that affect results and appear nowhere else.
        var options: String
        /// The number of parts; `nil` if the study was not divided into numbered parts.
        var shards: Int?
    }

    var header: Header
    /// All devices of the study, by number and digest of their names; `nil` if they are unknown, as in a pipe.
    var devices: DeviceSet?
    /// The name of the device, if the part is a line of `transferlab devices`.
    var device: String?
    /// The numbers of the merged parts, in ascending order.
    var parts: [Int]?
    var totals: StudyTotals

    /// Reads a line.
    ///
    /// - Parameter source: The file and the line, for errors.
    init(_ line: [UInt8], source: String) throws {
        do {
            self = try JSONDecoder().decode(StudyPart.self, from: Data(line))
        } catch {
            throw UsageError(
                "\(source) is not a whole part written by 'shard', 'devices', or 'merge': \(Self.reason(error))")
        }
        guard header.format == 3, header.costs.count == CostClass.allCases.count,
            totals.lines.count == header.policies.count, totals.hasDraws || device != nil
        else { throw UsageError("\(source) is not a part that this version of transferlab can read") }
    }

    init(header: Header, devices: DeviceSet?, device: String? = nil, parts: [Int]? = nil, totals: StudyTotals) {
        (self.header, self.devices, self.device) = (header, devices, device)
        (self.parts, self.totals) = (parts, totals)
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

    /// The part as a line of JSON. Equal parts have equal bytes.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// Adds another part of the same study.
    ///
    /// - Parameter source: The file and the line of the other part, for errors.
    mutating func merge(_ other: StudyPart, source: String) throws {
        guard other.header == header, other.totals.lines.count == totals.lines.count,
            devices == nil || other.devices == nil || devices == other.devices, totals.matches(other.totals)
        else { throw UsageError("\(source) is a part of a different study: its inputs or options differ") }
        if let numbers = other.parts {
            let known = Set(parts ?? [])
            if let number = numbers.first(where: known.contains) {
                throw UsageError("\(source) repeats part \(number)/\(header.shards ?? 0)")
            }
            parts = known.union(numbers).sorted()
        }
        devices = devices ?? other.devices
        if let device = other.device {
            totals.add(device: device, other.totals, settings: header.settings)
        } else {
            totals.merge(other.totals)
        }
    }

    /// Checks that all devices of the study are present.
    func checkCompleteness() throws {
        guard let devices, devices != totals.devices else { return }
        let (count, known) = (header.shards ?? 0, Set(parts ?? []))
        let missing = stride(from: 1, through: count, by: 1).filter { !known.contains($0) }
        guard missing.isEmpty else {
            let shown = missing.prefix(20).map { "\($0)/\(count)" } + (missing.count > 20 ? ["…"] : [])
            throw UsageError("missing parts of the study: \(shown.joined(separator: ", "))")
        }
        throw UsageError(
            "the parts have \(totals.devices.count) of \(devices.count) devices; a device is missing or was counted twice"
        )
    }

    /// Returns a checksum that is unlikely to be the same for other bytes (FNV-1a, Fowler, Noll and Vo).
    static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

extension StudyPart.Header {
    /// The settings of the study's replays.
    var settings: ReplaySettings {
        var settings = ReplaySettings()
        (settings.costs, settings.penalty, settings.wifiRate, settings.seed) = (costs, penalty, wifiRate, seed)
        return settings
    }

    /// Returns the totals of no device.
    ///
    /// - Parameter exactLimit: The number of delays up to which their quantiles are exact.
    func emptyTotals(exactLimit: Int = ValueDistribution.partLimit) -> StudyTotals {
        StudyTotals(
            replayed: policies.map { (try? LabPolicy($0).isOptimum) != true }, seed: seed, exactLimit: exactLimit)
    }
}

extension StudyOptions {
    /// Returns the properties that all parts of the study share.
    func header(_ policies: [LabPolicy], workload: UInt64, shards: Int?) throws -> StudyPart.Header {
        let settings = try readSettings()
        return StudyPart.Header(
            policies: policies.map(\.name), costs: settings.costs, penalty: settings.penalty,
            wifiRate: settings.wifiRate, seed: seed, workload: workload, options: try optionText(), shards: shards)
    }

    /// The options that affect results and appear nowhere else in the header, as text for comparison.
    private func optionText() throws -> String {
        var text = "cellRate=\(cellRate) concurrency=\(concurrency) daemon=\(daemon)"
        if lateLast { text += " lateLast=true" }
        if let curve = price.priceCurve {
            text += " prices=\(StudyPart.digest(try Files.read(curve))) priceWeight=\(price.priceWeight)"
        }
        if let population = traces.population { text += " population=\(population)" }
        return text
    }
}

/// A folder with the finished parts of a study. An interrupted part leaves no file with a part's name.
struct PartFolder {
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// Returns the path of a part's file.
    func path(_ choice: ShardChoice) -> String { "\(folder)/\(choice.fileName)" }

    /// Returns a finished part; `nil` if it has not finished.
    ///
    /// - Throws: A ``UsageError`` if the file is a part of another study, or is damaged.
    func finished(_ choice: ShardChoice, of header: StudyPart.Header) throws -> StudyPart? {
        guard FileManager.default.fileExists(atPath: path(choice)) else { return nil }
        let part = try StudyPart(Files.read(path(choice)), source: path(choice))
        guard part.header == header, part.parts == [choice.number] else {
            throw UsageError(
                "\(path(choice)) is a part of another study: its inputs or options differ; use another folder")
        }
        return part
    }

    /// Writes a part, which replaces a former one.
    func write(_ part: StudyPart, _ choice: ShardChoice) throws {
        try Files.createFolder(folder)
        try Files.write(part.line(), to: path(choice))
    }
}
