// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandRunner
import LinuxKernel
import Testing
import ToolSupport
import TransferModel
import TransferPolicy

@testable import transferctl

/// Tests of the command line of `transferctl run`.
@Suite("run's options")
struct RunPlanTests {
    private let now = WallTime(secondsSinceEpoch: 1_795_392_000)

    private func plan(_ words: String...) throws -> RunPlan {
        let command = try #require(try TransferControl.parseAsRoot(["run"] + words) as? RunCommand)
        return try RunPlan(command, now: now)
    }

    @Test("Words after -- belong to the command, options among them")
    func command() throws {
        let plan = try plan("--when", "ac", "--", "/usr/bin/restic", "--quiet", "backup", "--", "~")
        #expect(plan.command == ["/usr/bin/restic", "--quiet", "backup", "--", "~"])
        #expect(plan.name == "restic")
        #expect(plan.onLoss == .wait)
        #expect(plan.killDelay == .seconds(30))
        #expect(plan.policy.conditions.power == .ac && plan.policy.base == nil)
        #expect(plan.traits.isLoopback && plan.traits.constraints == Constraints())
    }

    @Test("Dates and windows are constraints of the command; conditions and policies are part of its policy")
    func conditions() throws {
        let plan = try plan(
            "--policy", "strict", "--when", "wifi,unmetered", "--by", "+2h", "--not-before", "+1h", "--window",
            "Mon-Fri 01:00-06:00", "--on-loss", "freeze", "--grace", "2m", "--", "true")
        #expect(plan.policy.base is StrictPolicy)
        #expect(plan.policy.conditions.metered == .unmetered && plan.policy.conditions.linkKinds != .any)
        #expect(plan.traits.constraints.deadline?.date == now.advanced(by: .seconds(7200)))
        #expect(plan.traits.constraints.notBefore?.date == now.advanced(by: .seconds(3600)))
        #expect(plan.traits.constraints.window != nil && plan.traits.constraints.linkKinds == .any)
        #expect(plan.onLoss == .freeze && plan.killDelay == .seconds(120))
        #expect(try self.plan("--discretionary", "--", "true").policy.base is PatiencePolicy)
        #expect(try self.plan("--patience", "prompt", "--", "true").policy.base is PatiencePolicy)
    }

    @Test("A command before --, no command, and wrong values are errors with a way out")
    func wrong() {
        func message(_ words: String...) -> String {
            do {
                try RunCommand.checkTerminator(in: ["run"] + words)
                let command = try TransferControl.parseAsRoot(["run"] + words) as? RunCommand
                _ = try command.map { try RunPlan($0, now: now) }
                return "no error"
            } catch { return (error as? UsageError).map { "\($0)" } ?? TransferControl.message(for: error) }
        }
        #expect(message("--when", "ac", "restic", "-v").contains("write the command after --"))
        #expect(message("--when", "ac", "--").contains("write the command after --"))
        #expect(message("restic", "--", "backup").contains("Unexpected argument 'restic'"))
        #expect(throws: Never.self) { try RunCommand.checkTerminator(in: ["run", "--help"]) }
        #expect(throws: Never.self) { try RunCommand.checkTerminator(in: ["get", "x"]) }
        #expect(message("--on-loss", "pause", "--", "true").contains("'wait', 'freeze', 'stop' or 'restart'"))
        #expect(message("--grace", "0", "--", "true").contains("--grace '0'"))
        #expect(message("--grace", "2d", "--", "true").contains("at most 1 day"))
        #expect(message("--policy", "strit", "--", "true").contains("strict"))
        #expect(message("--", "").contains("empty"))
    }

    @Test("The exit status is that of the command, or one that says what happened")
    func status() {
        #expect(CommandResult.ended(.status(7)).exitStatus == 7)
        #expect(CommandResult.ended(.signal(15)).exitStatus == 143)
        #expect(CommandResult.stopped.exitStatus == 75)
        #expect(CommandResult.notExecutable(2).exitStatus == 127)
        #expect(CommandResult.notExecutable(13).exitStatus == 126)
    }

    @Test("References to transfers and commands are read, and other texts are refused")
    func references() throws {
        #expect(WorkReference(argument: "7") == .transfer(TransferID(7)))
        #expect(WorkReference(argument: "c12") == .command(12))
        for text in ["c", "c0", "c-1", "x1", "7c", ""] { #expect(WorkReference(argument: text) == nil, "\(text)") }
        #expect(throws: UsageError.self) { try WorkReference.command(1).transfer }
    }
}
