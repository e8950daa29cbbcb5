// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// The shells whose completion is tested.
enum CompletingShell: String, CaseIterable {
    case bash
    case zsh
    case fish

    var isMissing: Bool { !FileManager.default.isExecutableFile(atPath: "/usr/bin/\(rawValue)") }

    /// The shell that runs `script`.
    var interpreter: String { self == .bash ? "/usr/bin/bash" : "/usr/bin/zsh" }

    /// A script that prints the candidates for the command line `$1`, one a line. The completion script is `$2`.
    var script: String {
        switch self {
        case .bash:
            #"""
            source "$2"
            COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
            IFS=$'\n' read -r -d '' -a COMP_WORDS < <(eval "printf '%s\n' $1"; [[ $1 == *' ' ]] && echo)
            [[ $1 == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            COMPREPLY=()
            $(complete -p transferctl | sed 's/.*-F \([^ ]*\).*/\1/') transferctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
            printf '%s\n' "${COMPREPLY[@]}"
            """#
        case .zsh:
            #"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            say() { zpty -w shell "$1" }
            say "PS1=; PROMPT=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D"
            say "source $2; compdef _transferctl transferctl; LISTMAX=1000"
            say "zstyle ':completion:*' list-packed false; bindkey '^I' complete-word; setopt auto_list no_list_ambiguous"
            say "compadd() { builtin compadd -O found \"\$@\"; local word; for word in \$found; do print -r -- \"<<\$word>>\"; done; builtin compadd \"\$@\" }"
            say "echo RE\"\"ADY"
            zpty -r -m shell line "*READY*"
            zpty -w -n shell "$1"$'\t'
            sleep 2
            while zpty -r -t shell line; do print -r -- "$line"; done | tr -d '\r' | sed -n 's/.*<<\(.*\)>>.*/\1/p'
            zpty -d shell
            """#
        // Completions of fish 3.6 need the command line of an interactive shell.
        case .fish:
            #"""
            zmodload zsh/zpty
            print -r -- "source $2; bind \\cg 'complete -C (commandline -cp) >$2.new; mv $2.new $2.found'; touch $2.ready" >$2.start
            rm -f $2.found $2.ready
            zpty shell fish -N -i -C "'source $2.start'"
            for i in {1..300}; do [[ -e $2.ready ]] && break; sleep 0.1; done
            sleep 0.5
            zpty -w -n shell "$1"$'\a'
            for i in {1..300}; do [[ -e $2.found ]] && break; sleep 0.1; zpty -r -t shell line; done
            cut -f1 $2.found
            zpty -d shell
            """#
        }
    }
}

/// Tests of completion in the shells themselves.
@Suite(
    "Completion in bash, zsh, and fish",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"),
    .enabled(if: CompletingShell.allCases.allSatisfy { !$0.isMissing }, "bash, zsh, or fish is missing"))
struct CompletionTests {
    @Test("Files, IDs, policies, and connections are completed", arguments: CompletingShell.allCases)
    func completes(in shell: CompletingShell) async throws {
        try await DaemonFixture.with { fixture in try await check(shell, fixture) }
    }

    private func check(_ shell: CompletingShell, _ fixture: DaemonFixture) async throws {
        try await fixture.run("add", "http://127.0.0.1:9/f", "--not-before", "+1d")
        try await fixture.run("network", "Hotel Wi-Fi", "yes")
        let program = fixture.program
        for name in ["upload-me.txt", "urls.txt"] {
            try Data().write(to: URL(fileURLWithPath: program.downloads + "/" + name))
        }
        try FileManager.default.createDirectory(atPath: program.downloads + "/udir", withIntermediateDirectories: true)
        let script = program.folder.path + "/completion." + shell.rawValue
        let generated = try await program.run(["--generate-completion-script", shell.rawValue]).run.output
        try Data(generated.utf8).write(to: URL(fileURLWithPath: script))
        func candidates(_ line: String) async throws -> [String] {
            var environment = program.environment
            environment["PATH"] =
                builtFolder + ":/usr/bin:/bin"
            environment["HOME"] = program.folder.path
            // Output is appended to a file.
            let output = program.folder.path + "/candidates-\(UUID().uuidString)"
            let process = try ChildProcess(
                shell.interpreter, ["-c", shell.script, shell.rawValue, line, script],
                environment: environment.merging(["TERM": "dumb"]) { $1 },
                output: output, errors: output + ".errors", directory: program.downloads)
            _ = try await process.wait(within: 60)
            let text = try String(contentsOfFile: output, encoding: .utf8)
            return text.split(separator: "\n").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " /\\")) }
        }
        for (line, wanted) in [
            ("transferctl put u", "upload-me.txt"), ("transferctl get -i ur", "urls.txt"),
            ("transferctl get --input ur", "urls.txt"), ("transferctl put x http://h/ -o u", "upload-me.txt"),
            ("transferctl get -d u", "udir"), ("transferctl cancel ", "1"), ("transferctl why ", "1"),
            ("transferctl get --policy la", "ladder"), ("transferctl add --when unm", "unmetered"),
            ("transferctl ca", "cancel"), ("transferctl get --dry", "--dry-run"),
        ] {
            let found = try await candidates(line)
            #expect(found.contains { $0 == wanted || $0.hasPrefix(wanted + ":") }, "\(line): \(found)")
        }
        let connections = try await candidates("transferctl network Ho")
        #expect(connections.contains { $0.replacing("\\", with: "").hasPrefix("Hotel Wi-Fi") }, "\(connections)")
    }
}
