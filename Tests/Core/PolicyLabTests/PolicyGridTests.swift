// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PolicyLab

@Suite("Grids of a sweep") struct PolicyGridTests {
    @Test("Two parameters form rows and columns; a missing policy leaves a cell empty")
    func two() {
        let grids = PolicyGrid.all(in: [
            "ladder:bat=0:cell=0.5", "ladder:bat=0:cell=inf", "strict", "ladder:bat=1:cell=inf", "oracle",
        ])
        #expect(
            grids == [
                PolicyGrid(
                    title: "ladder", rowKey: "bat", columnKey: "cell", rows: ["0", "1"], columns: ["0.5", "inf"],
                    cells: [[0, 1], [nil, 3]])
            ])
    }

    @Test("One parameter forms a single row, and a name without it has the default")
    func one() {
        let grids = PolicyGrid.all(in: ["ladder", "ladder:bat=0.2", "ladder:bat=0.4"])
        #expect(grids.map(\.rowKey) == [nil])
        #expect(grids.map(\.columns) == [["default", "0.2", "0.4"]] && grids.map(\.cells) == [[[0, 1, 2]]])
    }

    @Test("Further parameters divide a sweep into several grids, named by their values")
    func three() {
        let names = ["a", "b"].flatMap { x in
            ["1", "2"].flatMap { y in ["3", "4"].map { "p:x=\(x):y=\(y):z=\($0)" } }
        }
        let grids = PolicyGrid.all(in: names)
        #expect(grids.map(\.title) == ["p:x=a", "p:x=b"])
        #expect(grids.map(\.cells) == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]])
    }

    @Test("Policies without common parameters, or only two of them, form no grid")
    func none() {
        #expect(PolicyGrid.all(in: ["strict", "default", "oracle"]).isEmpty)
        #expect(PolicyGrid.all(in: ["ladder:bat=0", "ladder:bat=1", "strict"]).isEmpty)
        #expect(PolicyGrid.all(in: []).isEmpty)
    }
}
