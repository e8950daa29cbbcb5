// SPDX-License-Identifier: Apache-2.0

/// Words that are banned from Core, because their effects cannot be replayed or can end the process.
enum CoreWords {
    /// A banned word, with its replacement and a test for it.
    struct Rule: Sendable {
        var word: String
        var instead: String
        var isIn: @Sendable (String) -> Bool
    }

    private static let clock = "take the time as an argument"
    private static let chance = "take a generator as an argument (`using generator: inout some RandomNumberGenerator`)"
    private static let effect = "return an effect, which the engine executes"
    private static let input = "return or throw a value; input must not crash the process"

    static let rules: [Rule] = [
        Rule(word: "Date(", instead: clock) {
            Pattern(#"\bDate\s*\("#).isIn($0) || Pattern(#"\bDate\.now\b"#).isIn($0)
        },
        Rule(word: "ContinuousClock", instead: clock) { Pattern(#"\bContinuousClock\b"#).isIn($0) },
        Rule(word: "SuspendingClock", instead: clock) { Pattern(#"\bSuspendingClock\b"#).isIn($0) },
        Rule(word: "clock_gettime", instead: clock) {
            Pattern(#"\b(clock_gettime|gettimeofday|time\s*\(\s*nil)"#).isIn($0)
        },
        Rule(word: "UUID(", instead: "take the identifier as an argument") { Pattern(#"\bUUID\s*\("#).isIn($0) },
        Rule(word: "SystemRandomNumberGenerator", instead: chance) {
            Pattern(#"\bSystemRandomNumberGenerator\b"#).isIn($0)
        },
        Rule(word: ".random( without using:", instead: chance) { drawsFromSystem($0, Pattern(#"\.random\s*\("#)) },
        Rule(word: ".shuffled( without using:", instead: chance) { drawsFromSystem($0, Pattern(#"\.shuffled?\s*\("#)) },
        Rule(word: ".randomElement( without using:", instead: chance) {
            drawsFromSystem($0, Pattern(#"\.randomElement\s*\("#))
        },
        Rule(word: "Task", instead: effect) { Pattern(#"\bTask(Group)?\s*[{(.]"#).isIn($0) },
        Rule(word: "async or await", instead: effect) { Pattern(#"\b(async|await)\b"#).isIn($0) },
        Rule(word: "actor", instead: effect) { Pattern(#"\bactor\s+\w"#).isIn($0) },
        Rule(word: "DispatchQueue", instead: effect) { Pattern(#"\bDispatch\w+"#).isIn($0) },
        Rule(word: "Thread", instead: effect) { Pattern(#"\bThread\b"#).isIn($0) },
        Rule(word: "print(", instead: effect) { Pattern(#"\b(print|debugPrint|dump)\s*\("#).isIn($0) },
        Rule(word: "FileManager", instead: effect) {
            Pattern(#"\b(FileManager|FileHandle|ProcessInfo)\b"#).isIn($0)
        },
        Rule(word: "getenv(", instead: "take the value as an argument") { Pattern(#"\bgetenv\s*\("#).isIn($0) },
        Rule(word: "fatalError(", instead: input) { Pattern(#"\bfatalError\s*\("#).isIn($0) },
        Rule(word: "try!", instead: input) { Pattern(#"\btry!"#).isIn($0) },
        Rule(word: "as!", instead: input) { Pattern(#"\bas!"#).isIn($0) },
        Rule(word: "unsafe", instead: "use a form that the compiler checks") {
            Pattern(#"nonisolated\(unsafe\)|@unchecked\b|\bunsafeBitCast\b"#).isIn($0)
        },
    ]

    /// The files that may contain a banned word, with the reason for each.
    static let exceptions: [String: String] = [
        // The records of the ready queue. An array's uniqueness checks cost more than most operations on an element.
        // The storage is noncopyable, so the compiler guarantees a single owner at a time.
        "Sources/Core/TransferQueue/Structures/Slab.swift": "unsafe"
    ]

    /// Describes each banned word in `files`, in a sentence.
    static func violations(in files: [SourceFile]) -> [String] {
        files.flatMap { file in
            let code = file.code
            return rules.filter { $0.isIn(code) && exceptions[file.path] != $0.word }.map {
                "\(file.path): \($0.word); \($0.instead)"
            }
        }
    }

    /// Returns whether a call that matches `start` lacks its own argument `using:`.
    private static func drawsFromSystem(_ code: String, _ start: Pattern) -> Bool {
        start.matches(in: code).contains { call in
            var depth = 1
            var arguments = ""
            for character in code.utf16.dropFirst(call.position + call.groups[0].utf16.count) {
                if character == UInt16(UInt8(ascii: "(")) { depth += 1 }
                if character == UInt16(UInt8(ascii: ")")) { depth -= 1 }
                if depth == 0 { break }
                if depth == 1, let scalar = Unicode.Scalar(character) { arguments.unicodeScalars.append(scalar) }
            }
            return !Pattern(#"\busing\s*:"#).isIn(arguments)
        }
    }
}
