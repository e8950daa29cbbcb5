// SPDX-License-Identifier: Apache-2.0

/// A manual page, written in the macros of man(7).
///
/// ```swift
/// var page = ManualPage(name: "transferd", number: 8, abstract: "run background transfers", source: "transferd 0.1.0")
/// page.sections.append(ManualSection("FILES", [.entry("/etc/hosts", "The names of hosts.")]))
/// print(page.text)
/// ```
package struct ManualPage {
    /// The name of the page, as an argument of man(1).
    package var name: String
    /// The section of the manual: 1 for programs, 5 for files, 8 for daemons.
    package var number: Int
    /// A description of the subject in one line.
    package var abstract: String
    /// The program and its version, for the foot of the page.
    package var source: String
    /// The sections after NAME.
    package var sections: [ManualSection]

    /// Creates a page.
    package init(name: String, number: Int, abstract: String, source: String, sections: [ManualSection] = []) {
        self.name = name
        self.number = number
        self.abstract = abstract
        self.source = source
        self.sections = sections
    }

    /// The page in man(7) macros.
    package var text: String {
        let heading = ".TH \(name.uppercased()) \(number) \"\" \"\(source)\""
        let purpose = abstract.prefix(1).lowercased() + abstract.dropFirst().drop(atEnd: ".")
        let lines =
            [
                ".\\\" Generated from the program's help.", heading, ".SH NAME",
                "\(Self.escaped(name)) \\- "
                    + Self.escaped(purpose),
            ]
            + sections.flatMap { section in [".SH \(section.title)"] + section.blocks.flatMap(\.lines) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Escapes text that roff would interpret: backslashes, hyphens, and a dot or quote at the start of a line.
    static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}

/// A section of a manual page.
package struct ManualSection {
    /// The title, in capital letters.
    package var title: String
    /// The contents.
    package var blocks: [ManualBlock]

    /// Creates a section.
    package init(_ title: String, _ blocks: [ManualBlock]) {
        self.title = title
        self.blocks = blocks
    }
}

/// A part of a section.
package enum ManualBlock {
    /// Text. An empty line begins a new paragraph.
    case paragraph(String)
    /// A term and its description.
    case entry(String, String)
    /// The title of a subsection.
    case subsection(String)
    /// A command line and its purpose.
    case example(String, String)

    var lines: [String] {
        switch self {
        case .paragraph(let text):
            guard !text.isEmpty else { return [] }
            return [".PP"]
                + text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? ".PP" : ManualPage.escaped(String($0)) }
        case .entry(let term, let description):
            return [".TP", ".B \(ManualPage.escaped(term))", ManualPage.escaped(description)]
        case .subsection(let title): return [".SS \(ManualPage.escaped(title))"]
        case .example(let command, let purpose):
            return [".PP", ManualPage.escaped(purpose), ".PP", ".in +4n", ".EX"]
                + command.split(separator: "\n").map { ManualPage.escaped(String($0)) } + [".EE", ".in"]
        }
    }
}

extension Substring {
    fileprivate func drop(atEnd suffix: String) -> Substring { hasSuffix(suffix) ? dropLast(suffix.count) : self }
}
