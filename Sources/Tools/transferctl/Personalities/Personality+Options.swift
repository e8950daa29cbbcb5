// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// The supported options of the imitated programs. Those that only tune the imitated program are accepted without effect.
extension Personality {
    static func number(_ text: String, _ name: String) throws -> Int {
        guard let number = Int(text), number >= 0 else {
            throw UsageError("not a valid number: \(name) '\(text)'; use 0, 1, 2, and so on")
        }
        return number
    }

    /// The options of curl (curl(1)), as `yt-dlp --downloader curl` and pacman use them.
    static let curlOptions: [ImitatedOption] = [
        ImitatedOption("-V --version", .version), ImitatedOption("-h --help", .help),
        ImitatedOption("-o --output") { $0.output = $1 },
        ImitatedOption("-O --remote-name", .flag) { command, _ in
            (command.usesRemoteName, command.collision) = (true, "--overwrite")
        },
        ImitatedOption("--output-dir") { $0.directory = $1 },
        ImitatedOption("-b --cookie") { command, value in
            // As in curl, a text with '=' is a cookie and not the name of a file.
            command.options += value.contains("=") ? ["--header", "Cookie: \(value)"] : ["--cookies", value]
        },
        .passed("-H --header", as: "--header"), .passed("-A --user-agent", as: "--user-agent"),
        .passed("-e --referer", as: "--referer"), .passed("-u --user", as: "--user"),
        ImitatedOption("-C --continue-at") { _, value in
            guard value == "-" || value == "0" else {
                throw UsageError("--continue-at '\(value)' is not supported; use -, which continues where it stopped")
            }
        },
        ImitatedOption("--limit-rate") { $0.options += ["--limit-rate", $1] },
        ImitatedOption("--retry") { $0.options += ["--retries", "\(min(try number($1, "--retry"), 1_000_000))"] },
        ImitatedOption("--connect-timeout") { $0.options += ["--timeout", "\(try number($1, "--connect-timeout"))"] },
        .passed("-x --proxy", as: "--proxy"), .passed("--cacert", as: "--ca-file"),
        .flag("-k --insecure", as: "--insecure"), .flag("-s --silent", as: "--quiet"),
        .flag("-v --verbose", as: "--verbose"), .flag("-R --remote-time", as: "--remote-time"),
        .flag("-n --netrc", as: "--netrc"),
        // The program always does this.
        .ignored("-L --location"), .ignored("--compressed"), .ignored("-f --fail"), .ignored("-S --show-error"),
        .ignored("-# --progress-bar"), .ignored("--no-progress-meter"), .ignored("-g --globoff"),
    ]

    /// The options of a downloader for pacman (pacman.conf(5), `XferCommand`).
    static let transferOptions: [ImitatedOption] = [
        ImitatedOption("-V --version", .version), ImitatedOption("-h --help", .help),
        ImitatedOption("-o --output") { ($0.output, $0.collision) = ($1, "--overwrite") },
    ]
}
