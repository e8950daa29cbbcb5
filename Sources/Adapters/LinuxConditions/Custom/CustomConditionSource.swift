// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The definition of a condition of the user: where its value comes from, and what its values mean.
///
/// ```swift
/// var call = CustomConditionSource("call", .command(["pw-dump-has-call"]), values: ["yes", "no"])
/// call.sentences = ["yes": "a call is running"]
/// configuration.customConditions = [call]
/// ```
public struct CustomConditionSource: Hashable, Sendable {
    /// A source of a value. The value is the first line of a text, without white space around it.
    public enum Origin: Hashable, Sendable {
        /// A file, or a FIFO into which programs write lines, by its absolute path. It is followed; a missing file has no
        /// value. A symbolic link is followed when it is replaced, and files below `/proc` and `/sys` are read again at
        /// each interval.
        case file(String)
        /// A file that only `transferctl conditions set` writes, by its absolute path. Without the file, the value is
        /// unknown.
        case setting(String)
        /// A program and its arguments, which run without a shell. The first element is an absolute path, or a name that
        /// is looked up in `PATH`. The program is ended after 5 s, and runs at most once at a time.
        case command([String])
        /// A property of a service on D-Bus. It is followed.
        case property(BusProperty)
    }

    /// A property of an object of a service on D-Bus: a string, a number, or a Boolean, which becomes `true` or `false`.
    public struct BusProperty: Hashable, Sendable {
        /// Whether the service is on the system bus. Otherwise, it is on the session bus.
        public var isOnSystemBus: Bool
        /// The name of the service.
        public var service: String
        /// The path of the object.
        public var path: String
        /// The name of the interface.
        public var interface: String
        /// The name of the property.
        public var name: String

        /// Creates a property. By default, the service is on the session bus.
        public init(isOnSystemBus: Bool = false, service: String, path: String, interface: String, name: String) {
            self.isOnSystemBus = isOnSystemBus
            (self.service, self.path, self.interface, self.name) = (service, path, interface, name)
        }
    }

    /// The name of the condition, see `CustomConstraint.isName(_:)` of the module `TransferModel`.
    public var name: String
    /// The source of the value.
    public var origin: Origin
    /// The texts that are values. Any other text is an unknown value.
    public var values: [String]
    /// The time between two runs of a command, at least 5 s, or between two reads of a file whose changes the kernel does
    /// not report. The default is 30 s.
    public var interval: Duration = .seconds(30)
    /// The time for which a new value must last before it counts. The default is 0; more than ten changes per second are
    /// never followed.
    public var debounce: Duration = .zero
    /// The sentences that tell users about a value, by value.
    public var sentences: [String: String] = [:]

    /// Creates a definition with the defaults.
    public init(_ name: String, _ origin: Origin, values: [String]) {
        (self.name, self.origin, self.values) = (name, origin, values)
    }

    /// Whether the source is on the system bus.
    var isOnSystemBus: Bool { if case .property(let property) = origin { property.isOnSystemBus } else { false } }

    /// The source in words, for users.
    var originText: String {
        switch origin {
        case .file(let path): path
        case .setting: "conditions set"
        // Without the arguments, which may be secret and appear in recordings.
        case .command(let words): "the command '\(words.first ?? "")'"
        case .property(let property): "\(property.service) on D-Bus"
        }
    }
}

/// A value of a condition of the user, as it was read.
struct CustomReading: Hashable, Sendable, Codable {
    /// The beginning of each note about a condition.
    static let noteStart = "condition '"

    /// The name of the condition.
    var name: String
    /// The value; `nil` if it is unknown.
    var value: String?
    /// The sentence for the value, if there is one.
    var sentence: String?
    /// The source in words.
    var origin: String
    /// Why the value is unknown, as a sentence; `nil` if it is known.
    var problem: String?
    /// Whether the source has not replied yet.
    var isPending = false

    init(pending source: CustomConditionSource) {
        (name, origin, isPending) = (source.name, source.originText, true)
    }

    /// Creates a reading of a text, which must be one of the values.
    init(_ source: CustomConditionSource, _ text: Result<String, SourceProblem>) {
        (name, origin) = (source.name, source.originText)
        switch text {
        case .success(let text):
            let line = text.prefix { !$0.isNewline }.drop { $0.isWhitespace }
            let word = String(line.reversed().drop { $0.isWhitespace }.reversed())
            guard source.values.contains(word) else {
                let known = source.values.joined(separator: ", ")
                problem = "\(Self.noteStart)\(name)': \(origin) gives '\(word.prefix(64))', which is none of: \(known)"
                return
            }
            (value, sentence) = (word, source.sentences[word])
        case .failure(let failure): problem = "\(Self.noteStart)\(name)': \(origin) \(failure.text)"
        }
    }
}

/// A problem with a source, as the end of a sentence about the source.
struct SourceProblem: Error {
    var text: String
}

extension Readings {
    /// The problems of the conditions of the user, in the order of their names.
    var customProblems: [String] { custom.values.sorted { $0.name < $1.name }.compactMap(\.problem) }

    /// The conditions of the user, sorted by name, with their facts of the preceding snapshot brought up to date.
    func customConditions(after before: [CustomCondition]?, at now: ClockReading) -> [CustomCondition] {
        custom.values.sorted { $0.name < $1.name }.map { reading in
            let confidence: Confidence = reading.value == nil ? .assumed : .reported
            let known = before?.first { $0.name == reading.name }?.fact
            let fact =
                known?.updated(to: reading.value, source: .custom, confidence: confidence, at: now)
                ?? Fact(reading.value, source: .custom, since: now, confidence: confidence)
            return CustomCondition(reading.name, fact, sentence: reading.sentence, origin: reading.origin)
        }
    }
}
