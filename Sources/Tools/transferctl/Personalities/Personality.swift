// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// Another program whose command line this program accepts under that program's name (`SelectedProgram`).
///
/// A program that starts a downloader, such as `yt-dlp`, thereby downloads under conditions without a patch.
enum Personality: String, CaseIterable, Sendable {
    case aria2c
    case curl
    /// A downloader for pacman: `XferCommand = …/xfercommand %u %o`.
    case xfercommand

    /// The result of a translation.
    enum Translation: Hashable, Sendable {
        /// The text to print, for questions about the version or the options.
        case text(String)
        /// The words of a command line of `transferctl`.
        case words([String])
    }

    /// Translates the imitated program's command line.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program.
    ///   - version: The version of this program.
    ///   - readFile: Returns the text of a file; `-` is standard input.
    ///   - makeFile: Writes a text to a temporary file and returns its path.
    /// - Throws: `UsageError` that names the option and the supported ones.
    func translate(
        _ arguments: [String], version: String, readFile: (String) throws -> String,
        makeFile: (String) throws -> String
    ) throws -> Translation {
        let parsed = try ImitatedCommandLine(arguments, options: options, of: rawValue)
        if parsed.asksForVersion { return .text(versionText(version)) }
        if parsed.asksForHelp { return .text(helpText) }
        var command = TranslatedCommand()
        for (action, value) in parsed.actions { try action(&command, value) }
        switch self {
        case .xfercommand:
            guard parsed.targets.count == 2 - (command.output == nil ? 0 : 1) else {
                throw UsageError("write the URL and the file: xfercommand %u %o")
            }
            command.output = command.output ?? parsed.targets[1]
            command.urls = [parsed.targets[0]]
        case .aria2c:
            guard !parsed.targets.isEmpty || command.inputPath != nil else {
                throw UsageError("write at least one URL")
            }
            // As with aria2c, all URLs lead to one file unless the caller separates them.
            command.urls = command.hasSeparateURLs ? parsed.targets : Array(parsed.targets.prefix(1))
            command.mirrors = command.hasSeparateURLs ? [] : Array(parsed.targets.dropFirst())
        case .curl:
            command.urls = parsed.targets
            // Like curl, writes to standard output unless a file is named.
            if command.output == nil, !command.usesRemoteName { command.output = "-" }
        }
        return .words(try command.words(readFile: readFile, makeFile: makeFile))
    }

    private var options: [ImitatedOption] {
        switch self {
        case .aria2c: Self.aria2Options
        case .curl: Self.curlOptions
        case .xfercommand: Self.transferOptions
        }
    }

    /// The answer to the question for the version, in the form in which callers read it.
    private func versionText(_ version: String) -> String {
        switch self {
        case .aria2c: "aria2 version 1.36.0\nImitated by transferctl \(version)"
        // yt-dlp passes cookies on standard input since 7.59.
        case .curl: "curl 7.88.1 (linux) transferctl/\(version)\nProtocols: http https"
        case .xfercommand: "transferctl \(version)"
        }
    }

    private var helpText: String {
        let names = options.filter { !$0.isIgnored }.map { $0.names.joined(separator: ", ") }
        return """
            USAGE: \(rawValue) [options] url\(self == .xfercommand ? " file" : "")

            transferctl under the name of \(rawValue): 'transferctl get' does the work, with the conditions in \
            $XDG_CONFIG_HOME/transferd/get.toml.

            OPTIONS: \(names.joined(separator: "; "))
            """
    }
}

/// A command line of an imitated program, in the terms of `transferctl get`.
struct TranslatedCommand {
    var urls: [String] = []
    /// Other URLs of the same file.
    var mirrors: [String] = []
    /// The options of `get` besides those below.
    var options: [String] = []
    /// The path of the file, or `-`.
    var output: String?
    var directory: String?
    var usesRemoteName = false
    /// The file with URLs, in the format of aria2.
    var inputPath: String?
    var collision = "--rename"
    /// The number of connections for a file.
    var connections: Int?
    /// A Boolean value that indicates whether each URL is a file of its own.
    var hasSeparateURLs = false
    /// The user name and the password, which aria2c takes apart.
    var user: String?
    var password: String?

    /// Returns the words of the command line of `transferctl`.
    ///
    /// - Throws: `UsageError` if options contradict each other, or if a file cannot be read.
    func words(readFile: (String) throws -> String, makeFile: (String) throws -> String) throws -> [String] {
        var words = ["get", "--no-paths"] + options + mirrors.flatMap { ["--mirror", $0] }
        if let connections { words += ["--connections", "\(min(max(connections, 1), 16))"] }
        if let user { words += ["--user", "\(user):\(password ?? "")"] }
        if let inputPath {
            guard urls.isEmpty, output == nil else {
                throw UsageError("a list of URLs and a URL or a file name are mutually exclusive; use one of them")
            }
            let list = try Aria2List(try readFile(inputPath), name: inputPath)
            words += ["--input", try makeFile(list.text)]
        }
        if let output {
            let isFullPath = output == "-" || output.hasPrefix("/")
            words += ["--output", isFullPath ? output : directory.map { "\($0)/\(output)" } ?? output]
        } else {
            if let directory { words += ["--directory", directory] }
            if usesRemoteName { words.append("--remote-name") }
        }
        if output != "-" { words.append(collision) }
        return words + ["--"] + urls
    }
}

/// The files that the translation of a command line reads and writes.
enum PersonalityFiles {
    /// Translates a command line of an imitated program.
    ///
    /// - Throws: `UsageError` that names the error and its remedy.
    static func translate(_ arguments: [String], _ personality: Personality) throws -> Personality.Translation {
        try personality.translate(
            arguments, version: "\(SoftwareVersion.current)", readFile: { try TextFile.read($0, option: "input-file") },
            makeFile: makeFile)
    }

    /// Writes a text to a file without a name, and returns a path that lasts as long as this process.
    private static func makeFile(_ text: String) throws -> String {
        var path = Array((NSTemporaryDirectory() + "/transferctl-XXXXXX").utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw UsageError("cannot write a temporary file: \(String(cString: strerror(errno)))") }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        unlink(path)
        try FileHandle(fileDescriptor: file).write(contentsOf: Data(text.utf8))
        return "/proc/self/fd/\(file)"
    }
}
