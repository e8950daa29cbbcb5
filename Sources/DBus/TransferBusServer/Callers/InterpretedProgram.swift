// SPDX-License-Identifier: Apache-2.0

/// A program that an interpreter runs: the script is the app, not the interpreter (rule C4).
enum InterpretedProgram {
    /// Interpreters by the letters that their files' names begin with: `python` stands for `python3.11`, too.
    private static let interpreters: Set = [
        "bash", "bun", "dash", "deno", "dotnet", "fish", "gjs", "guile", "java", "ksh", "lua", "luajit", "mono", "node",
        "nodejs", "perl", "php", "pwsh", "python", "Rscript", "ruby", "sh", "tclsh", "wish", "zsh",
    ]
    /// Options that take the next word as their value, by the interpreter.
    private static let valued: [String: Set<String>] = [
        "python": ["-W", "-X"], "node": ["-r", "--require", "--import", "--loader"], "perl": ["-I"],
        "ruby": ["-I", "-r"], "bash": ["-o", "-O", "+O", "--rcfile", "--init-file"], "zsh": ["-o"], "sh": ["-o"],
        "java": ["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules"],
    ]
    /// Options after which the program's text itself follows.
    private static let inline: Set = ["-c", "-e", "-E", "--eval", "--print", "-"]

    /// The app's name; nil where `facts` are those of no interpreter, or it runs no script.
    ///
    /// The name is the script's absolute path, or `INTERPRETER MODULE` for `python -m` and the classes of Java.
    static func app(of facts: ProcessFacts) -> String? {
        let family = String(facts.program.prefix { $0.isLetter })
        guard interpreters.contains(family) else { return nil }
        var words = facts.arguments.dropFirst()
        while let word = words.popFirst() {
            switch word {
            case "-m" where family == "python", "--module" where family == "java":
                return words.first.map { "\(family) \($0)" }
            case "-jar": return words.first.map { path($0, facts) }
            case "run" where family == "deno" || family == "bun" || family == "dotnet": continue
            case _ where valued[family]?.contains(word) == true: words = words.dropFirst()
            case _ where inline.contains(word): return nil
            case _ where word.hasPrefix("-"): continue
            default: return family == "java" ? "java \(word)" : path(word, facts)
            }
        }
        return nil
    }

    /// An absolute path without `.` and `..`.
    private static func path(_ word: String, _ facts: ProcessFacts) -> String {
        var parts: [Substring] = []
        for part in (word.hasPrefix("/") ? word : facts.workingFolder + "/" + word).split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }
}
