// SPDX-License-Identifier: Apache-2.0
import ManualPages
import ToolSupport

extension ManualPage {
    /// An example of a configuration file, for the page transferd.toml(5).
    static let configurationExample = """
        policy = "horizon:share=0.5"
        rate-limit = 2000000
        connection-budgets = { "Phone" = 2000000000 }
        billing-day = 15
        """

    /// Returns the page transferd.toml(5).
    static func configuration() -> ManualPage {
        ManualPage(
            name: "transferd.toml", number: 5, abstract: "Configuration of transferd",
            source: "transferd \(TransferControl.version)",
            sections: [
                ManualSection("SYNOPSIS", [.paragraph("$XDG_CONFIG_HOME/transferd/config.toml")]),
                ManualSection(
                    "DESCRIPTION",
                    [
                        .paragraph(
                            """
                            The file is in TOML. Every key has a default, and the file may be missing. An unknown key is an \
                            error. 'transferctl config check' reports errors with line and column, and 'transferctl config \
                            --defaults' prints a file with all keys.

                            After a change, 'systemctl --user reload transferd' or SIGHUP makes the daemon read the file again. \
                            If the file is invalid, the daemon logs the error and keeps the former configuration.
                            """)
                    ]),
                ManualSection(
                    "KEYS",
                    DaemonConfiguration.keys.map { key in
                        let unit = key.unit.isEmpty ? "" : " Unit: \(key.unit)."
                        let value = key.defaultValue.map { " Default: \($0)." } ?? ""
                        return .entry(key.name, key.meaning + unit + value)
                    }),
                ManualSection(
                    "EXAMPLES",
                    [
                        .example(
                            configurationExample,
                            "Allow a phone's connection 2 GB a month, and limit the rate to 2 MB/s:")
                    ]),
                ManualSection("SEE ALSO", [.paragraph("transferd(8), transferctl(1)")]),
            ])
    }
}
