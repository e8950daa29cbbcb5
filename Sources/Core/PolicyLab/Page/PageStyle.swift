// SPDX-License-Identifier: Apache-2.0

/// The style sheet of the page, for light and dark appearance.
enum PageStyle {
    /// Blue, orange, green, vermilion, purple, olive, sky and gray, after Okabe and Ito. Readers with color blindness
    /// can tell these colors apart.
    private static let light = ["#0b62a8", "#b35900", "#00795a", "#c03a12", "#8a4a86", "#6d6a00", "#2596be", "#555555"]
    private static let dark = ["#6cb4ee", "#f0a35e", "#4cc9a4", "#ff8a66", "#d79ad3", "#d0cc5a", "#8fd3f0", "#b5b5b5"]

    static var text: String {
        let names = light.indices.map { "--c\($0)" }
        func colors(_ values: [String]) -> String {
            zip(names, values).map { "\($0): \($1);" }.joined(separator: " ")
        }
        let classes = light.indices.map {
            ".c\($0) { --mark: var(--c\($0)); }"
        }
        return """
            :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --soft: #5b626d; --rule: #e3e6ea; \
            --ac: #2f8f5b; --battery: #e0b040; --free: #3b7dc4; --metered: #d2603a; --none: #cfd4da; --unknown: #eef0f2; \
            \(colors(light)) }
            @media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e6e8eb; --soft: #9aa3ae; \
            --rule: #2c3138; --ac: #4fb37c; --battery: #d9b14f; --free: #5a9be0; --metered: #e07b56; --none: #434a53; \
            --unknown: #22262b; \(colors(dark)) } }
            \(classes.joined(separator: "\n"))
            body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
            main { max-width: 1000px; margin: 0 auto; padding: 24px 20px 60px; }
            h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 2px; }
            h3 { font-size: 14px; margin: 20px 0 2px; font-weight: 600; overflow-wrap: anywhere; }
            p { margin: 2px 0 10px; color: var(--soft); max-width: 75ch; }
            .wide { overflow-x: auto; margin-top: 18px; }
            table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
            th { text-align: right; font-weight: 600; color: var(--soft); border-bottom: 2px solid var(--rule); }
            th, td { padding: 5px 8px; white-space: nowrap; } td { text-align: right; \
            border-bottom: 1px solid var(--rule); }
            th:nth-child(2), td.name { text-align: left; }
            .key { display: inline-block; min-width: 20px; padding: 0 3px; border-radius: 10px; text-align: center; \
            background: var(--mark); color: var(--paper); font-size: 12px; }
            svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
            .label { fill: var(--soft); } .axis { fill: var(--ink); } .number { fill: var(--ink); font-weight: 700; \
            paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
            .grid { stroke: var(--rule); } .midnight { stroke: var(--soft); stroke-opacity: .35; }
            .front { fill: none; stroke: var(--ink); stroke-width: 2; stroke-dasharray: 6 4; }
            .whisker { stroke: var(--mark); stroke-opacity: .45; stroke-width: 2; }
            .dot { fill: var(--mark); stroke: var(--paper); stroke-width: 1.5; }
            .dot.dashed { fill: var(--paper); stroke: var(--mark); stroke-width: 3; }
            .curve { fill: none; stroke: var(--mark); stroke-width: 2; } .curve.dashed { stroke-dasharray: 5 4; }
            .box { fill: var(--mark); fill-opacity: .2; } .device { fill: var(--mark); fill-opacity: .65; }
            .middle { stroke: var(--mark); stroke-width: 4; } .transfer { fill: var(--mark); }
            .ac { fill: var(--ac); background: var(--ac); } .battery { fill: var(--battery); background: var(--battery); }
            .free { fill: var(--free); background: var(--free); }
            .metered { fill: var(--metered); background: var(--metered); }
            .none { fill: var(--none); background: var(--none); }
            .unknown { fill: var(--unknown); background: var(--unknown); }
            .legend { font-size: 13px; } .legend i { display: inline-block; width: 12px; height: 12px; \
            margin: 0 5px 0 12px; border-radius: 2px; vertical-align: -1px; \
            outline: 1px solid var(--soft); outline-offset: -1px; }
            """
    }
}
