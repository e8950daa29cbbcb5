// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferModel
import TransferPolicy

@testable import LinuxConditions

/// A recording of the folder `Recordings`, with what its header says that must come of it.
struct RecordedRun {
    /// By fact, the values that are published, one after another, in words.
    typealias Sequences = [String: [String]]

    /// The parts of a header that only tests read.
    private struct Head: Decodable {
        var says: String
        var source: String
        var expect: [String: [Value]]
        var atMost: Int?

        /// A value in words, or a list of sentences, or a number.
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

    /// The paths of all recordings below the folder, by the names of their files.
    static let paths: [String: String] = {
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let recordings = paths.filter { $0.hasSuffix(".jsonl") }
        return Dictionary(uniqueKeysWithValues: recordings.map { (URL(fileURLWithPath: $0).lastPathComponent, $0) })
    }()

    /// The names of all recordings.
    static let names = paths.keys.sorted()

    let name: String
    let bytes: Data
    /// What happened, in one sentence, and who has seen it.
    let says: String
    let source: String
    let expected: Sequences
    /// How often conditions may be published; nil where that is not what it is about.
    let atMost: Int?

    init(_ name: String) throws {
        self.name = name
        bytes = try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(Self.paths[name] ?? name)"))
        let head = try JSONDecoder().decode(Head.self, from: Data(bytes.prefix { $0 != UInt8(ascii: "\n") }))
        (says, source, atMost) = (head.says, head.source, head.atMost)
        expected = head.expect.mapValues { $0.map(\.text) }
    }

    /// What was published, as the header writes it; repeated values once.
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
