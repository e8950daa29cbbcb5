// SPDX-License-Identifier: Apache-2.0

/// Policies of a sweep that differ only in one or two parameters.
///
/// A sweep of more parameters is divided into several grids, one for each combination of the other values.
struct PolicyGrid: Hashable {
    /// The parts that all names of the grid share, such as `ladder:cell=0.9`.
    var title: String
    /// The parameter of the rows; `nil` if the grid has one row.
    var rowKey: String?
    /// The parameter of the columns.
    var columnKey: String
    /// The values of the rows, in the order of the study. One value, the empty string, if there is no row parameter.
    var rows: [String]
    /// The values of the columns, in the order of the study.
    var columns: [String]
    /// The policies' indices in the study, by row and column; `nil` where the study has no such policy.
    var cells: [[Int?]]

    /// The minimum number of policies of a grid.
    private static let smallest = 3

    /// A name of the form `NAME[:key=value]…`.
    private struct Name {
        var index: Int
        var policy: String
        var values: [String: String] = [:]
        /// The keys in the order of the name.
        var keys: [String] = []

        init(_ text: String, index: Int) {
            self.index = index
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            policy = String(parts.first ?? "")
            for part in parts.dropFirst() {
                let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let key = String(sides[0])
                keys.append(key)
                values[key] = sides.count > 1 ? String(sides[1]) : ""
            }
        }

        func value(_ key: String?) -> String { key.map { values[$0] ?? "default" } ?? "" }
    }

    /// The grid for the page's script.
    var json: JSONValue {
        [
            "title": .text(title), "corner": .texts([rowKey.map { "\($0) ↓" }, "\(columnKey) →"].compactMap(\.self)),
            "rows": .texts(rows), "columns": .texts(columns),
            "cells": .list(cells.map { .list($0.map { $0.map { .whole($0) } ?? .null }) }),
        ]
    }

    /// Returns the grids in a study, in the order of its policies.
    static func all(in names: [String]) -> [PolicyGrid] {
        let names = names.enumerated().map { Name($1, index: $0) }
        return unique(names.map(\.policy)).flatMap { policy -> [PolicyGrid] in
            let group = names.filter { $0.policy == policy }
            let keys = unique(group.flatMap(\.keys))
            let varying = keys.filter { key in Set(group.map { $0.value(key) }).count > 1 }
            guard let columnKey = varying.last else { return [] }
            let rowKey = varying.dropLast().last
            let fixed = keys.filter { $0 != columnKey && $0 != rowKey }
            func title(_ name: Name) -> String {
                ([policy] + fixed.filter { name.values[$0] != nil }.map { "\($0)=\(name.value($0))" })
                    .joined(separator: ":")
            }
            return unique(group.map(title)).compactMap { heading in
                grid(heading, group.filter { title($0) == heading }, rowKey, columnKey)
            }
        }
    }

    private static func grid(_ title: String, _ names: [Name], _ rowKey: String?, _ columnKey: String) -> PolicyGrid? {
        guard names.count >= smallest else { return nil }
        let (rows, columns) = (unique(names.map { $0.value(rowKey) }), unique(names.map { $0.value(columnKey) }))
        let cells = rows.map { row in
            columns.map { column in
                names.first { $0.value(rowKey) == row && $0.value(columnKey) == column }?.index
            }
        }
        return PolicyGrid(
            title: title, rowKey: rowKey, columnKey: columnKey, rows: rows, columns: columns, cells: cells)
    }

    private static func unique(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { seen.insert($0).inserted }
    }
}
