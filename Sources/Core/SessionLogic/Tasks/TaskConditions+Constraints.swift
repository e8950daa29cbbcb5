// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension TaskConditions {
    /// Adds the task's own constraints. No constraint of the session becomes weaker.
    func tighten(_ constraints: inout Constraints) {
        let former = constraints
        self.constraints.apply(to: &constraints)
        if former.metered == .unmetered { constraints.metered = .unmetered }
        switch (former.linkKinds, constraints.linkKinds) {
        case (.only(let first), .only(let second)): constraints.linkKinds = .only(first.intersection(second))
        case (.only, .any): constraints.linkKinds = former.linkKinds
        case (.any, _): break  // The task's own constraint is at least as strong.
        }
        if let date = former.notBefore?.date {
            constraints.notBefore = NotBeforeConstraint(max(date, constraints.notBefore?.date ?? date))
        }
    }
}

extension SessionMachine.TaskKey {
    /// Returns the transfer of an unfinished task. `nil` if the task has none at present.
    package func transfer(in machine: SessionMachine) -> TransferID? {
        machine.sessions[session]?.tasks[unfinished: number]?.transfer
    }
}
