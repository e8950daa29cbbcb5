// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

// How far transfers have come through the policy's stages.

extension IndexedQueue {
    /// The stage of a transfer.
    mutating func stage(
        of entry: borrowing TransferEntry, _ family: Int32, _ assessment: Assessment
    ) -> PolicyStage {
        if let known = knownStage(of: entry.traits.kind, family, assessment) { return known }
        makeClasses(of: family, assessment)
        return known(assessment.stagedPolicy.stage(of: entry.subject, at: assessment.now.wall), of: family)
    }

    /// The same of a transfer that is new.
    mutating func stage(
        of traits: borrowing TransferTraits, _ family: Int32, _ assessment: Assessment
    ) -> PolicyStage {
        if let known = knownStage(of: traits.kind, family, assessment) { return known }
        makeClasses(of: family, assessment)
        return known(assessment.stagedPolicy.stage(ofNew: traits, at: assessment.now.wall), of: family)
    }

    /// The stage where nobody need be asked for it.
    @inline(__always)
    private func knownStage(of kind: WorkKind, _ family: Int32, _ assessment: Assessment) -> PolicyStage? {
        guard kind == .discretionary else { return PolicyStage() }
        guard assessment.isStaged else { return PolicyStage(RequirementClass.individual) }
        // Where there is one stage only, it is the last, and time changes nothing.
        return requirements.stageCount(of: family) == 1 ? PolicyStage() : nil
    }

    @inline(__always)
    private mutating func makeClasses(of family: Int32, _ assessment: Assessment) {
        guard requirements.stageCount(of: family) == 0 else { return }
        requirements.makeClasses(of: family, for: assessment.stagedPolicy)
    }

    /// A stage as one of those that the family has.
    @inline(__always)
    private func known(_ stage: PolicyStage, of family: Int32) -> PolicyStage {
        PolicyStage(min(max(0, stage.number), requirements.stageCount(of: family) - 1), until: stage.until)
    }
}
