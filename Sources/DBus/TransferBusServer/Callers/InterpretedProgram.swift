// SPDX-License-Identifier: Apache-2.0

/// The rule that identifies a script as the app instead of the interpreter that runs it (rule C4).
enum InterpretedProgram {
    /// The leading letters of interpreters' file names. For example, `python` also matches `python3.11`.
    private static let interpreters: Set = [
        "bash", "bun", "dash", "deno", "dotnet", "fish", "gjs", "guile", "java", "ksh", "lua", "luajit", "mono", "node",
        "nodejs", "perl", "php", "pwsh", "python", "Rscript", "ruby", "sh", "tclsh", "wish", "zsh",
    ]
    /// The options that take the next word as their value, by interpreter.
    private static let valued: [String: Set<String>] = [
        "python": ["-W", "-X"], "node": ["-r", "--require", "--import", "--loader"], "perl": ["-I"],
        "ruby": ["-I", "-r"], "bash": ["-o", "-O", "+O", "--rcfile", "--init-file"], "zsh": ["-o"], "sh": ["-o"],
        "java": ["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules"],
        "lua": ["-e", "-l"], "guile": ["-e", "-l", "-L"],
    ]
    private static let shells: Set = ["bash", "dash", "fish", "ksh", "sh", "zsh"]
    /// The words after which the interpreter runs no script file, by interpreter: the program's text or standard input
    /// follows. `-e` of a shell is none of them; it ends the shell at the first error.
    private static let inline: [String: Set<String>] = [
        "python": ["-c", "-"], "perl": ["-e", "-E", "-"], "ruby": ["-e", "-"],
        "node": ["-e", "--eval", "-p", "--print", "-pe", "-"], "bun": ["-e", "--eval", "-p", "--print", "-"],
        "deno": ["eval", "repl"], "php": ["-r"], "Rscript": ["-e"], "guile": ["-c"], "gjs": ["-c"],
    ]

    /// The app id of an interpreted program; `nil` if `facts` do not describe an interpreter, or if the interpreter
    /// runs no script.
    ///
    /// The id is the script's absolute path, or `INTERPRETER MODULE` for `python -m` and for Java classes.
    static func app(of facts: ProcessFacts) -> String? {
        let interpreter = String(facts.program.prefix { $0.isLetter })
        guard interpreters.contains(interpreter) else { return nil }
        var words = facts.arguments.dropFirst()
        while let word = words.popFirst() {
            switch word {
            case "-m" where interpreter == "python", "--module" where interpreter == "java":
                return words.first.map { "\(interpreter) \($0)" }
            case "-jar": return words.first.map { path($0, facts) }
            case "run" where interpreter == "deno" || interpreter == "bun" || interpreter == "dotnet": continue
            case _ where valued[interpreter]?.contains(word) == true: words = words.dropFirst()
            case _ where isInline(word, interpreter): return nil
            case _ where word.hasPrefix("-"): continue
            default: return interpreter == "java" ? "java \(word)" : path(word, facts)
            }
        }
        return nil
    }

    /// Whether no script file follows the word. Options of shells, Perl and Ruby may be joined, as in `-ec`.
    private static func isInline(_ word: String, _ interpreter: String) -> Bool {
        if inline[interpreter]?.contains(word) == true { return true }
        guard let letters = word.firstMatch(of: #/^-([A-Za-z]{1,5})$/#)?.1 else { return false }
        if shells.contains(interpreter) { return letters.contains { $0 == "c" || $0 == "s" } }
        return ["perl", "ruby"].contains(interpreter) && letters.last == "e" && letters.allSatisfy(\.isLowercase)
    }

    /// Returns an absolute path without `.` and `..`. Resolves a relative path against the working folder of the
    /// process.
    private static func path(_ word: String, _ facts: ProcessFacts) -> String {
        var components: [Substring] = []
        for part in (word.hasPrefix("/") ? word : facts.workingFolder + "/" + word).split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = components.popLast()
            default: components.append(part)
            }
        }
        return "/" + components.joined(separator: "/")
    }
}
