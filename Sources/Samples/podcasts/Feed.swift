// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import FoundationXML

/// An episode of a feed.
struct Episode: Hashable, Sendable {
    /// A file name that is unique in the feed and the same at every fetch.
    var name: String
    var url: URL

    init(title: String, identifier: String, url: URL) {
        let text = "\(title.prefix(60)) (\(identifier.suffix(40))).\(url.pathExtension)"
        name = String(text.replacing("/", with: "-").drop { $0 == "." })
        self.url = url
    }
}

/// A reader of RSS feeds.
final class Feed: NSObject, XMLParserDelegate {
    private var episodes: [Episode] = []
    /// The texts of the current item's elements, by element.
    private var texts: [String: String] = [:]
    private var url: URL?
    private var text = ""

    /// Returns the episodes of the feed at an address.
    static func episodes(at url: URL) async throws -> [Episode] {
        let (data, response) = try await URLSession.shared.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        let feed = Feed()
        let parser = XMLParser(data: data)
        parser.delegate = feed
        guard parser.parse() else { throw parser.parserError ?? URLError(.cannotParseResponse) }
        return feed.episodes
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        text = ""
        if element == "item" { (texts, url) = ([:], nil) }
        if element == "enclosure" { url = attributes["url"].flatMap { URL(string: $0) } }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
        texts[element] = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard element == "item", let url else { return }
        episodes.append(
            Episode(title: texts["title"] ?? "", identifier: texts["guid"] ?? url.absoluteString, url: url))
    }
}
