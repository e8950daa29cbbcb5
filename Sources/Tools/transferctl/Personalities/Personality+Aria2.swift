// SPDX-License-Identifier: Apache-2.0
import ToolSupport

extension Personality {
    /// The options of aria2c (aria2c(1)), as `yt-dlp --downloader aria2c` and apt-fast use them.
    static let aria2Options: [ImitatedOption] =
        [
            ImitatedOption("-v --version", .version), ImitatedOption("-h --help", .help),
            ImitatedOption("-o --out") { $0.output = $1 }, ImitatedOption("-d --dir") { $0.directory = $1 },
            ImitatedOption("-i --input-file") { $0.inputPath = $1 },
            .passed("--header", as: "--header"), .passed("-U --user-agent", as: "--user-agent"),
            .passed("--referer", as: "--referer"), .passed("--load-cookies", as: "--cookies"),
            .passed("--max-overall-download-limit", as: "--limit-rate"),
            .passed("--max-download-limit", as: "--limit-rate-each"),
            .passed("--all-proxy --http-proxy --https-proxy", as: "--proxy"),
            .passed("--ca-certificate", as: "--ca-file"),
            ImitatedOption("--http-user") { $0.user = $1 }, ImitatedOption("--http-passwd") { $0.password = $1 },
            ImitatedOption("--dry-run", .choice) { if $1 == "true" { $0.options.append("--dry-run") } },
            ImitatedOption("-Z --force-sequential", .choice) { $0.hasSeparateURLs = $1 == "true" },
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
        ] + withoutEffect

    /// The other options of aria2c 1.36: they only tune aria2, or concern protocols that do not exist here. Callers pass
    /// them to each downloader with aria2's name.
    private static let withoutEffect: [ImitatedOption] = {
        // Options whose value, if any, follows `=`.
        let choices = """
            --allow-piece-length-change --always-resume --async-dns --bt-detach-seed-only
            --bt-enable-hook-after-hash-check --bt-enable-lpd --bt-force-encryption --bt-hash-check-seed
            --bt-load-saved-metadata --bt-metadata-only --bt-remove-unselected-file --bt-require-crypto
            --bt-save-metadata --bt-seed-unverified -V|--check-integrity --conditional-get
            --content-disposition-default-utf8 -c|--continue -D|--daemon --deferred-input --disable-ipv6
            --enable-color --enable-dht --enable-dht6 --enable-http-keep-alive --enable-http-pipelining
            --enable-mmap --enable-peer-exchange --enable-rpc --force-save -p|--ftp-pasv --ftp-reuse-connection
            --hash-check-only --http-accept-gzip --http-auth-challenge --http-no-cache --human-readable
            --keep-unfinished-download-result --metalink-enable-unique-protocol --no-conf -n|--no-netrc
            --no-want-digest-header --optimize-concurrent-downloads -P|--parameterized-uri --pause
            --pause-metadata --realtime-chunk-checksum --remove-control-file --reuse-uri --rpc-allow-origin-all
            --rpc-listen-all --rpc-save-upload-metadata --rpc-secure --save-not-found --show-console-readout
            -S|--show-files --stderr --truncate-console-readout --use-head
            """
        let values = """
            --all-proxy-passwd --all-proxy-user --async-dns-server --auto-save-interval --bt-exclude-tracker
            --bt-external-ip --bt-lpd-interface --bt-max-open-files --bt-max-peers --bt-min-crypto-level
            --bt-prioritize-piece --bt-request-peer-speed-limit --bt-stop-timeout --bt-tracker
            --bt-tracker-connect-timeout --bt-tracker-interval --bt-tracker-timeout --certificate --conf-path
            --connect-timeout --console-log-level --dht-entry-point --dht-entry-point6 --dht-file-path
            --dht-file-path6 --dht-listen-addr6 --dht-listen-port --dht-message-timeout --disk-cache
            --download-result --dscp --event-poll --file-allocation --follow-metalink --follow-torrent
            --ftp-passwd --ftp-proxy --ftp-proxy-passwd --ftp-proxy-user --ftp-type --ftp-user --gid
            --http-proxy-passwd --http-proxy-user --https-proxy-passwd --https-proxy-user -O|--index-out
            --interface --listen-port -l|--log --log-level --lowest-speed-limit --max-download-result
            --max-file-not-found --max-mmap-limit --max-overall-upload-limit --max-resume-failure-tries
            -u|--max-upload-limit --metalink-base-uri -M|--metalink-file --metalink-language --metalink-location
            --metalink-os --metalink-preferred-protocol --metalink-version -k|--min-split-size --min-tls-version
            --multiple-interface --netrc-path --no-file-allocation-limit --no-proxy --on-bt-download-complete
            --on-download-complete --on-download-error --on-download-pause --on-download-start --on-download-stop
            --peer-agent --peer-id-prefix --piece-length --private-key --proxy-method --retry-wait --rlimit-nofile
            --rpc-certificate --rpc-listen-port --rpc-max-request-size --rpc-passwd --rpc-private-key --rpc-secret
            --rpc-user --save-cookies --save-session --save-session-interval --seed-ratio --seed-time
            --select-file --server-stat-if --server-stat-of --server-stat-timeout --socket-recv-buffer-size
            --ssh-host-key-md --stop --stop-with-process --stream-piece-selector --summary-interval
            -T|--torrent-file --uri-selector
            """
        return [(choices, ImitatedOption.Kind.choice), (values, .value)].flatMap { names, kind in
            names.split(whereSeparator: \.isWhitespace).map { .ignored(String($0).replacing("|", with: " "), kind) }
        }
    }()

    /// Returns whether a name in a list of aria2 belongs to an option without effect.
    static func isWithoutEffect(_ name: String) -> Bool { withoutEffect.contains { $0.names.contains("--\(name)") } }
}
