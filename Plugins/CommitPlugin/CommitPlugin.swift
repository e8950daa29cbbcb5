// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackagePlugin

/// Writes a Swift file with the commit that is checked out.
///
/// The commit is read again after each commit, checkout, and rebase, because Git then appends to the log of `HEAD`. The
/// commit is empty if Git is not installed or if the package is no clone. A repository that merely contains the package
/// is ignored. Uncommitted changes are not mentioned, because no file would tell when they begin and end.
///
/// `Context.gitInformation` would be shorter, but SwiftPM caches evaluated manifests without regard to Git, so the
/// commit would be the one of the first build.
@main
struct CommitPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let output = context.pluginWorkDirectoryURL.appending(path: "BuiltCommit.swift")
        let git = context.package.directoryURL.appending(path: ".git")
        let script = """
            commit=$(git --git-dir="$1" rev-parse --verify --quiet HEAD 2>/dev/null | cut -c 1-12)
            printf '/// The commit that is checked out.\\nenum BuiltCommit { static let digits = "%s" }\\n' "$commit" >"$2"
            """
        return [
            .buildCommand(
                displayName: "Reading the commit", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", script, "sh", git.path, output.path],
                inputFiles: log(of: git).map { [$0] } ?? [], outputFiles: [output])
        ]
    }

    /// Returns the file that changes with each commit and checkout. In a linked worktree, `.git` is a file that names
    /// the folder.
    private func log(of git: URL) -> URL? {
        var folder = git
        if let text = try? String(contentsOf: git, encoding: .utf8), text.hasPrefix("gitdir: ") {
            let path = text.dropFirst("gitdir: ".count).prefix { !$0.isNewline }
            folder = URL(filePath: String(path), relativeTo: git.deletingLastPathComponent())
        }
        return ["logs/HEAD", "HEAD"].map { folder.appending(path: $0) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }
}
