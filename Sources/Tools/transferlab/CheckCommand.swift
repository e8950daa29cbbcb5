// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab check` command: says what a donated folder holds and reveals.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say what a folder of 'transferctl history --trace --donate' holds, and what it reveals.",
        discussion: """
            A corpus of several machines is one folder with all their files. Exit status: 0 if the folder is anonymized as \
            the format requires and has a license, 1 otherwise.
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    func run() throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw UsageError("cannot read the folder \(folder)")
        }
        let path = { (name: String) in (folder as NSString).appendingPathComponent(name) }
        let isTrace = { (name: String) in name.hasSuffix(".csv") && name != Donation.workloadName }
        let traces = try TraceSequence(names.filter(isTrace).map(path)).all()
        guard !traces.isEmpty else { throw UsageError("\(folder) has no file with conditions, such as laptop.csv") }
        let workload =
            names.contains(Donation.workloadName)
            ? try Workload(csv: try Files.read(path(Donation.workloadName)), file: path(Donation.workloadName)) : nil
        let description =
            names.contains(Donation.descriptionName)
            ? String(decoding: try Files.read(path(Donation.descriptionName)), as: UTF8.self) : nil
        let known = [Donation.workloadName, Donation.descriptionName]
        let check = DonationCheck(
            traces: traces, workload: workload, description: description,
            otherFiles: names.filter { !isTrace($0) && !known.contains($0) })
        Self.print("Holds", check.contents)
        Self.print("Reveals", check.disclosures)
        let faults = check.faults
        guard !faults.isEmpty else { return Console.print("\nThe folder is anonymized as the format requires.") }
        Self.print("Faults", faults)
        throw ExitCode(1)
    }

    private static func print(_ title: String, _ lines: [String]) {
        Console.print(title == "Holds" ? "\(title):" : "\n\(title):")
        for line in lines { Console.print("- \(line)") }
    }
}
