// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// The supported options of the imitated programs. Those that only tune the imitated program are accepted without effect.
extension Personality {
    private static func number(_ text: String, _ name: String) throws -> Int {
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

    /// The options of aria2c (aria2c(1)), as `yt-dlp --downloader aria2c` and apt-fast use them.
    static let aria2Options: [ImitatedOption] = [
        ImitatedOption("-v --version", .version), ImitatedOption("-h --help", .help),
        ImitatedOption("-o --out") { $0.output = $1 }, ImitatedOption("-d --dir") { $0.directory = $1 },
        ImitatedOption("-i --input-file") { $0.inputPath = $1 },
        .passed("--header", as: "--header"), .passed("-U --user-agent", as: "--user-agent"),
        .passed("--referer", as: "--referer"), .passed("--load-cookies", as: "--cookies"),
        .passed("--max-overall-download-limit", as: "--limit-rate"),
        .passed("--max-download-limit", as: "--limit-rate-each"),
        .passed("--all-proxy", as: "--proxy"), .passed("--ca-certificate", as: "--ca-file"),
        ImitatedOption("-x --max-connection-per-server") {
            let most = try number($1, "--max-connection-per-server")
            $0.connections = min($0.connections ?? most, most)
        },
        ImitatedOption("-s --split") {
            let most = try number($1, "--split")
            $0.connections = min($0.connections ?? most, most)
        },
        ImitatedOption("-j --max-concurrent-downloads") {
            $0.options += ["--parallel", "\(min(max(try number($1, "--max-concurrent-downloads"), 1), 64))"]
        },
        ImitatedOption("-m --max-tries") {
            // 0 means without a limit, which is the default here.
            let most = try number($1, "--max-tries")
            if most > 0 { $0.options += ["--retries", "\(min(most - 1, 1_000_000))"] }
        },
        ImitatedOption("-t --timeout") { $0.options += ["--timeout", "\(try number($1, "--timeout"))"] },
        ImitatedOption("--checksum") { $0.options += ["--checksum", try Aria2List.checksum($1)] },
        ImitatedOption("--check-certificate", .choice) { if $1 == "false" { $0.options.append("--insecure") } },
        ImitatedOption("-R --remote-time", .choice) { if $1 == "true" { $0.options.append("--remote-time") } },
        ImitatedOption("-q --quiet", .choice) { if $1 == "true" { $0.options.append("--quiet") } },
        ImitatedOption("--allow-overwrite", .choice) { if $1 == "true" { $0.collision = "--overwrite" } },
        ImitatedOption("--auto-file-renaming", .choice) {
            if $1 == "false", $0.collision == "--rename" { $0.collision = "--no-clobber" }
        },
        .ignored("-c --continue", .choice), .ignored("--no-conf", .choice), .ignored("--always-resume", .choice),
        .ignored("--force-save", .choice), .ignored("--remove-control-file", .choice),
        .ignored("--show-console-readout", .choice), .ignored("--http-accept-gzip", .choice),
        .ignored("--auto-save-interval", .value), .ignored("--connect-timeout", .value),
        .ignored("--console-log-level", .value), .ignored("--download-result", .value),
        .ignored("--file-allocation", .value), .ignored("-k --min-split-size", .value),
        .ignored("--retry-wait", .value), .ignored("--stream-piece-selector", .value),
        .ignored("--summary-interval", .value), .ignored("--uri-selector", .value),
    ]
}
