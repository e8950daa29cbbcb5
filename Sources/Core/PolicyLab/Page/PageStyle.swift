// SPDX-License-Identifier: Apache-2.0

/// The style sheet of the page, for light and dark appearance, and for wide and narrow screens.
enum PageStyle {
    /// Blue, orange, green, vermilion, purple, olive, sky and gray, after Okabe and Ito. Readers with color blindness
    /// can tell these colors apart.
    private static let light = ["#0b62a8", "#b35900", "#00795a", "#c03a12", "#8a4a86", "#6d6a00", "#2596be", "#555555"]
    private static let dark = ["#6cb4ee", "#f0a35e", "#4cc9a4", "#ff8a66", "#d79ad3", "#d0cc5a", "#8fd3f0", "#b5b5b5"]

    static var text: String {
        func colors(_ values: [String]) -> String {
            zip(values.indices, values).map { "--c\($0): \($1);" }.joined(separator: " ")
        }
        return [
            """
            :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --soft: #5b626d; --rule: #e3e6ea; \
            --heat: 11,98,168; --alert: #a85b00; --panel: #f6f7f9; \
            --ac: #2f8f5b; --battery: #e0b040; --free: #3b7dc4; --metered: #d2603a; --none: #cfd4da; --unknown: #eef0f2; \
            \(colors(light)) }
            @media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e6e8eb; --soft: #9aa3ae; \
            --rule: #2c3138; --heat: 108,180,238; --alert: #f0a35e; --panel: #1c2026; --ac: #4fb37c; --battery: #d9b14f; \
            --free: #5a9be0; --metered: #e07b56; --none: #434a53; --unknown: #22262b; \(colors(dark)) } }
            """,
            light.indices.map { ".c\($0) { --mark: var(--c\($0)); }" }.joined(separator: "\n"),
            page, table, drawing, days, narrow,
        ].joined(separator: "\n")
    }

    private static let page = """
        body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
        main { max-width: 1000px; margin: 0 auto; padding: 24px 20px 60px; }
        h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 2px; overflow-wrap: anywhere; }
        p { margin: 2px 0 10px; color: var(--soft); max-width: 75ch; overflow-wrap: anywhere; }
        .conclusion { color: var(--ink); font-size: 17px; }
        .warning { color: var(--ink); border-left: 4px solid var(--alert); background: var(--panel); padding: 8px 12px; }
        dl { display: grid; grid-template-columns: 1fr 1fr; gap: 6px 32px; margin: 16px 0 0; font-size: 13px; \
        color: var(--soft); }
        dl div { display: grid; grid-template-columns: 104px minmax(0, 1fr); gap: 8px; } \
        dt { color: var(--ink); font-weight: 600; }
        dd { margin: 0; overflow-wrap: anywhere; } dl.origin { grid-template-columns: minmax(0, 1fr); }
        dd ul { margin: 0; padding: 0; list-style: none; max-height: 150px; overflow-y: auto; }
        code { font: 12px/1.4 ui-monospace, monospace; color: var(--ink); } a { color: var(--c0); }
        .key { display: inline-block; min-width: 20px; padding: 0 3px; border-radius: 10px; text-align: center; \
        background: var(--mark); color: var(--paper); font-size: 12px; line-height: 18px; }
        """

    private static let table = """
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        .results { width: 100%; font-size: 14px; margin-top: 18px; }
        .results th { text-align: right; font-weight: 600; color: var(--soft); border-bottom: 2px solid var(--rule); }
        .results th, .results td { padding: 5px 6px; white-space: nowrap; } .results td { text-align: right; \
        border-bottom: 1px solid var(--rule); }
        .results th:first-child, .results td.name { text-align: left; white-space: normal; overflow-wrap: anywhere; \
        min-width: 110px; }
        .maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 16px 32px; }
        .scroll { overflow-x: auto; min-width: 0; }
        .heat { font-size: 13px; width: 100%; border-collapse: separate; border-spacing: 2px; } .heat caption { text-align: left; font-weight: 600; padding: 2px 0 4px; }
        .heat th { color: var(--soft); font-weight: 600; padding: 4px 3px; white-space: nowrap; }
        .heat td { padding: 5px 3px; text-align: center; background: rgba(var(--heat), var(--s, 0)); }
        .heat tr th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); }
        .heat td.best { box-shadow: inset 0 0 0 2px var(--ink); font-weight: 700; }
        """

    private static let drawing = """
        svg { display: block; width: 100%; overflow: visible; font: 12px system-ui, sans-serif; }
        .label { fill: var(--soft); } .axis { fill: var(--ink); color: var(--ink); font-size: 12px; }
        .number { fill: var(--ink); font-weight: 700; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
        .grid { stroke: var(--rule); }
        .front { fill: none; stroke: var(--ink); stroke-width: 2; stroke-dasharray: 6 4; }
        .whisker { stroke: var(--mark); stroke-opacity: .45; stroke-width: 2; }
        .dot { fill: var(--mark); stroke: var(--paper); stroke-width: 1.5; }
        .dot.dashed { fill: var(--paper); stroke: var(--mark); stroke-width: 3; }
        .curve { fill: none; stroke: var(--mark); stroke-width: 2; } .curve.dashed { stroke-dasharray: 5 4; }
        .reference { fill: none; stroke: var(--soft); stroke-opacity: .6; stroke-width: 1.5; }
        .deadline { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 2 3; } .deadlines { fill: var(--ink); \
        fill-opacity: .06; }
        .curves { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 4px 0 0 46px; padding: 0; \
        font-size: 13px; color: var(--soft); }
        .curves li { overflow-wrap: anywhere; } .curves i { display: inline-block; width: 26px; margin-right: 7px; \
        border-top: 2px solid var(--mark); vertical-align: 4px; } .curves i.dashed { border-top-style: dashed; }
        .multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(210px, 100%), 1fr)); \
        gap: 14px 16px; }
        figure { margin: 0; min-width: 0; } .who { font-size: 13px; color: var(--soft); overflow-wrap: anywhere; }
        .spread .row { display: grid; grid-template-columns: 190px minmax(0, 1fr) minmax(0, 1fr); column-gap: 40px; \
        align-items: center; padding-right: 12px; }
        .box { fill: var(--mark); fill-opacity: .2; } circle.device { fill: var(--mark); fill-opacity: .65; }
        .middle { stroke: var(--mark); stroke-width: 4; }
        """

    private static let days = """
        details { border-top: 1px solid var(--rule); padding: 6px 0; } details[open] { padding-bottom: 18px; }
        summary { cursor: pointer; overflow-wrap: anywhere; padding: 3px 0; } summary small { color: var(--soft); font-size: 13px; }
        .days { padding-right: 12px; } .band { display: grid; grid-template-columns: 140px minmax(0, 1fr); \
        column-gap: 10px; align-items: center; margin-top: 4px; }
        .band span { font-size: 12px; line-height: 1.2; text-align: right; color: var(--soft); overflow-wrap: anywhere; }
        .band path { stroke: var(--mark); stroke-width: 14; }
        .band path.midnight { stroke: var(--soft); stroke-opacity: .4; stroke-width: 1; }
        .ac { --mark: var(--ac); } .battery { --mark: var(--battery); } .free { --mark: var(--free); } \
        .metered { --mark: var(--metered); } .none { --mark: var(--none); } .unknown { --mark: var(--unknown); }
        .legend { font-size: 13px; margin-top: 8px; } .legend i { display: inline-block; width: 12px; height: 12px; \
        margin: 0 5px 0 12px; border-radius: 2px; vertical-align: -1px; background: var(--mark); \
        outline: 1px solid var(--soft); outline-offset: -1px; }
        """

    /// Rules for narrow screens. A row of the table becomes a card, and on phones labels stand above what they name.
    private static let narrow = """
        @media (max-width: 960px) {
        .results thead { display: none; } .results, .results tbody { display: block; }
        .results tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(155px, 1fr)); gap: 0 18px; \
        padding: 8px 0; border-bottom: 1px solid var(--rule); }
        .results td { display: flex; justify-content: space-between; gap: 6px; padding: 1px 0; border: 0; font-size: 13px; }
        .results td::before { content: attr(data-title); color: var(--soft); }
        .results td.name { grid-column: 1 / -1; display: block; font-size: 15px; font-weight: 600; padding-bottom: 4px; } \
        .results td.name::before { content: none; }
        }
        @media (max-width: 700px) {
        main { padding: 16px 14px 40px; } h1 { font-size: 22px; } h2 { font-size: 18px; margin-top: 28px; }
        dl { grid-template-columns: minmax(0, 1fr); } dl.origin div { grid-template-columns: minmax(0, 1fr); gap: 0; }
        .curves { margin-left: 0; }
        .spread .row { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); column-gap: 40px; } \
        .spread .who { grid-column: 1 / -1; margin-top: 4px; }
        .band { grid-template-columns: minmax(0, 1fr); } .band span { text-align: left; padding-top: 2px; }
        .legend i:first-child { margin-left: 0; }
        }
        """
}
