// SPDX-License-Identifier: Apache-2.0

/// Words that are banned from Core, because their effects cannot be replayed or can end the process. The rules for
/// imports keep out the rest: Core imports no Foundation, C library, or queue.
enum CoreWords {
    private static let banned = [
        (#"\b(ContinuousClock|SuspendingClock)\b"#, "take the time as an argument"),
        (
            #"\bSystemRandomNumberGenerator\b|\.(random|shuffled?|randomElement)\s*\((?![\s\S]{0,200}?\busing\s*:)"#,
            "take a generator as an argument (`using generator: inout some RandomNumberGenerator`)"
        ),
        (
            #"\bTask(Group)?\s*[{(.]|\b(async|await)\b|\bactor\s+\w|\b(print|debugPrint|dump)\s*\("#,
            "return an effect, which the engine executes"
        ),
        (#"\bfatalError\s*\(|\btry!|\bas!"#, "return or throw a value; input must not crash the process"),
        (#"nonisolated\(unsafe\)|@unchecked\b|\bunsafeBitCast\b"#, "use a form that the compiler checks"),
    ].map { (pattern: Pattern($0.0), instead: $0.1) }

    /// The files that may contain an unsafe form, with the reason for each.
    private static let exceptions: Set = [
        // The records of the ready queue. An array's uniqueness checks cost more than most operations on an element.
        // The storage is noncopyable, so the compiler guarantees a single owner at a time.
        "Sources/Core/TransferQueue/Structures/Slab.swift"
    ]

    /// Describes each banned word in `files`, in a sentence.
    static func violations(in files: [SourceFile]) -> [String] {
        files.filter { !exceptions.contains($0.path) }.flatMap { file in
            banned.flatMap { rule in
                rule.pattern.matches(in: file.code).map { "\(file.path): \($0.groups[0]); \(rule.instead)" }
            }
        }
    }
}
