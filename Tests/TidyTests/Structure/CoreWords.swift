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
            $0.contains(#/\bDate\s*\(/#.onWords) || $0.contains(#/\bDate\.now\b/#.onWords)
        },
        Rule(word: "ContinuousClock", instead: clock) { $0.contains(#/\bContinuousClock\b/#.onWords) },
        Rule(word: "SuspendingClock", instead: clock) { $0.contains(#/\bSuspendingClock\b/#.onWords) },
        Rule(word: "clock_gettime", instead: clock) {
            $0.contains(#/\b(clock_gettime|gettimeofday|time\s*\(\s*nil)/#.onWords)
        },
        Rule(word: "UUID(", instead: "take the identifier as an argument") { $0.contains(#/\bUUID\s*\(/#.onWords) },
        Rule(word: "SystemRandomNumberGenerator", instead: chance) {
            $0.contains(#/\bSystemRandomNumberGenerator\b/#.onWords)
        },
        Rule(word: ".random( without using:", instead: chance) { drawsFromSystem($0, #/\.random\s*\(/#) },
        Rule(word: ".shuffled( without using:", instead: chance) { drawsFromSystem($0, #/\.shuffled?\s*\(/#) },
        Rule(word: ".randomElement( without using:", instead: chance) { drawsFromSystem($0, #/\.randomElement\s*\(/#) },
        Rule(word: "Task", instead: effect) { $0.contains(#/\bTask(Group)?\s*[{(.]/#.onWords) },
        Rule(word: "async or await", instead: effect) { $0.contains(#/\b(async|await)\b/#.onWords) },
        Rule(word: "actor", instead: effect) { $0.contains(#/\bactor\s+\w/#.onWords) },
        Rule(word: "DispatchQueue", instead: effect) { $0.contains(#/\bDispatch\w+/#.onWords) },
        Rule(word: "Thread", instead: effect) { $0.contains(#/\bThread\b/#.onWords) },
        Rule(word: "print(", instead: effect) { $0.contains(#/\b(print|debugPrint|dump)\s*\(/#.onWords) },
        Rule(word: "FileManager", instead: effect) {
            $0.contains(#/\b(FileManager|FileHandle|ProcessInfo)\b/#.onWords)
        },
        Rule(word: "getenv(", instead: "take the value as an argument") { $0.contains(#/\bgetenv\s*\(/#.onWords) },
        Rule(word: "fatalError(", instead: input) { $0.contains(#/\bfatalError\s*\(/#.onWords) },
        Rule(word: "try!", instead: input) { $0.contains(#/\btry!/#.onWords) },
        Rule(word: "as!", instead: input) { $0.contains(#/\bas!/#.onWords) },
        Rule(word: "unsafe", instead: "use a form that the compiler checks") {
            $0.contains(#/nonisolated\(unsafe\)|@unchecked\b|\bunsafeBitCast\b/#.onWords)
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
    private static func drawsFromSystem(_ code: String, _ start: some RegexComponent) -> Bool {
        code.ranges(of: start).contains { range in
            var depth = 1
            var arguments = ""
            for character in code[range.upperBound...] {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if depth == 0 { break }
                if depth == 1 { arguments.append(character) }
            }
            return !arguments.contains(#/\busing\s*:/#.onWords)
        }
    }
}
