// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferModel
import TransferPolicy

@testable import LinuxConditions

/// A recording in the folder `Recordings`, with the results that its header expects.
struct RecordedRun {
    /// The published values of each fact, one after another, in words.
    typealias Sequences = [String: [String]]

    /// The parts of a header that only tests read.
    private struct Head: Decodable {
        var says: String
        var source: String
        var expect: [String: [Value]]
        var atMost: Int?

        /// A value in words, a list of sentences, or a number.
        enum Value: Decodable {
            case word(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .word(text)
                } else if let number = try? container.decode(Int.self) {
                    self = .word("\(number)")
                } else {
                    self = .word("\(try container.decode([String].self))")
                }
            }

            var text: String {
                switch self {
                case .word(let text): text
                }
            }
        }
    }

    static let folder = Bundle.module.resourcePath.map { $0 + "/Recordings" } ?? ""

    /// The paths of all recordings below the folder, by file name.
    static let paths: [String: String] = {
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let recordings = paths.filter { $0.hasSuffix(".jsonl") }
        return Dictionary(uniqueKeysWithValues: recordings.map { (URL(fileURLWithPath: $0).lastPathComponent, $0) })
    }()

    /// The names of all recordings, sorted.
    static let names = paths.keys.sorted()

    let name: String
    let bytes: Data
    /// The event, in one sentence.
    let says: String
    /// The user or page that reported the event.
    let source: String
    let expected: Sequences
    /// The maximum number of published snapshots; `nil` if the recording does not limit it.
    let atMost: Int?

    init(_ name: String) throws {
        self.name = name
        bytes = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(Self.paths[name] ?? name)"))
        let head = try JSONDecoder().decode(Head.self, from: Data(bytes.prefix { $0 != UInt8(ascii: "\n") }))
        (says, source, atMost) = (head.says, head.source, head.atMost)
        expected = head.expect.mapValues { $0.map(\.text) }
    }

    /// Returns the published values in the form of the header. Adjacent equal values appear once.
    static func sequences(_ published: [Conditions]) -> Sequences {
        var all: Sequences = [:]
        for conditions in published {
            let recorded = RecordedConditions(conditions)
            var words = recorded.facts.mapValues { $0.value ?? "none" }
            words["disagreements"] = "\(recorded.disagreements)"
            words["notes"] = "\(recorded.notes)"
            words["offsets"] = "\(recorded.localTime.offset)"
            for (name, word) in words where all[name]?.last != word { all[name, default: []].append(word) }
        }
        return all
    }
}
