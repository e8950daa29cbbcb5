// SPDX-License-Identifier: Apache-2.0
import Glibc
import TransferFiles
import TransferModel
import TransferScheduling

/// The choice of a plan's renderer.
struct PlanOutput {
    let plan: GetPlan
    let localTime: LocalTimeRules

    /// The renderer for the plan's style. The files of a set are shown as one transfer.
    var renderer: any TransferRenderer {
        guard let set = plan.set, plan.style == .terminal || plan.style == .lines else {
            return renderer(count: plan.items.count)
        }
        return SetRenderer(set, count: plan.items.count, base: renderer(count: 1))
    }

    /// The number of attempts without progress after which a transfer of the plan fails, or `nil` if it is not limited.
    private var attempts: Int? {
        guard let traits = plan.items.first?.specification.traits else { return nil }
        return traits.maximumAttempts ?? (traits.kind == .discretionary ? nil : plan.scheduling.maximumAttempts)
    }

    private func renderer(count: Int) -> any TransferRenderer {
        // Otherwise, standard output shows the contents of a file.
        let usesOutput = plan.outputFile == nil && !plan.hidesPaths
        switch plan.style {
        case .terminal:
            let specifications = plan.items.map(\.specification)
            let compared = specifications.compactMap { item in PresentFile(item).bytesToRead.map { (item.url, $0) } }
            return LiveLines(
                localTime: localTime, total: count, explainedLimit: plan.explainedLimit,
                attempts: attempts, compared: Dictionary(compared) { first, _ in first },
                descriptor: usesOutput ? STDOUT_FILENO : STDERR_FILENO)
        case .lines:
            return LineRenderer(
                localTime: localTime, isVerbose: plan.isVerbose, count: count, attempts: attempts,
                printsPaths: usesOutput)
        case .json: return JSONRenderer(count: count)
        case .quiet: return FailureRenderer()
        }
    }
}
