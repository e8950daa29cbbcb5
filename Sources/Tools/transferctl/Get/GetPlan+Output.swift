// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import ToolSupport
import TransferFiles
import TransferModel

/// The parts of a plan that write a file to standard output.
extension GetPlan {
    /// Gives the only target of `--output -` a file in the state folder, and returns the path of the file.
    ///
    /// - Throws: `UsageError` for options that make no sense with standard output.
    static func prepareOutput(
        _ target: inout InputList.Item, stateDirectory: String, _ command: GetCommand
    ) throws -> String {
        guard !command.output.json else {
            throw UsageError("--json and --output - both write to standard output; use one of them")
        }
        let destination = command.destination
        guard destination.directory == nil, !destination.noClobber, !destination.remoteName else {
            throw UsageError("--output - writes no file; leave out --directory, --no-clobber, and --remote-name")
        }
        let name = ServerFileName.name(disposition: nil, url: target.url)
        let folder = ContentDigest.sha256(of: target.url).prefix(32)
        let path = "\(stateDirectory)/get/output/\(folder)/\(name)"
        target.output = path
        return path
    }

    /// Turns off the verification of certificates for the transfers of this plan.
    mutating func allowAnyCertificate() {
        for index in items.indices { items[index].specification.acceptsAnyCertificate = true }
    }
}

extension GetPlan.Item {
    /// A Boolean value that indicates whether the bytes can be used before the end: they arrive in order, and nothing is
    /// verified at the end except the size.
    var arrivesInOrder: Bool { specification.checksum == nil && specification.connections == 1 }

    /// Makes the file readable only for the user until it is written to standard output.
    mutating func hideOutput() {
        specification.isPrivate = true
        specification.destination.collision = .overwrite
    }
}

extension GetPlan.Item {
    /// A Boolean value that indicates whether the transfer has conditions of the network that do not apply, because its
    /// server is on this machine.
    var ignoresNetworkConditions: Bool {
        let traits = specification.traits
        let hasConditions =
            traits.kind == .discretionary || traits.constraints.linkKinds != .any
            || traits.constraints.metered == .unmetered
        return traits.isLoopback && hasConditions
    }
}

/// A finished file whose contents go to standard output.
struct FinishedOutput {
    let path: String

    /// Removes the file and its folder.
    func remove() {
        unlink(path)
        rmdir(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Writes the contents to standard output in order, and removes the file.
    ///
    /// - Returns: A description of the error, or `nil` on success.
    func write() -> String? {
        defer { remove() }
        guard let file = FileHandle(forReadingAtPath: path) else {
            return "cannot read \(path) (\(String(cString: strerror(errno))))"
        }
        do {
            while let block = try file.read(upToCount: 1 << 20), !block.isEmpty {
                if let failure = Console.printBody(Array(block)) { return failure }
                if Console.isInterrupted { return "interrupted before the end of the file" }
            }
        } catch {
            return "cannot read \(path): \(error.localizedDescription)"
        }
        return nil
    }
}
