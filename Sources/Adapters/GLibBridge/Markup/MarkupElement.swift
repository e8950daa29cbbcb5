// SPDX-License-Identifier: Apache-2.0
internal import CGIO

/// An element of an XML document.
///
/// GLib's parser reads a subset of XML that suits documents from servers: UTF-8, no entities besides the five of XML, and
/// no document type.
///
/// ```swift
/// let root = try MarkupElement(parsing: "<a><b c='1'>text</b></a>")
/// root.children.first?.text  // "text"
/// ```
package struct MarkupElement: Hashable, Sendable {
    /// The name without its prefix.
    package var name: String
    /// The attributes, by their names.
    package var attributes: [String: String] = [:]
    /// The text directly inside the element.
    package var text = ""
    /// The elements directly inside.
    package var children: [MarkupElement] = []

    /// The limit of nested elements.
    private static let maximumDepth = 32
    /// The limit of all elements.
    private static let maximumCount = 2_000_000

    private init(name: String) { self.name = name }

    /// Returns the direct children with a name.
    package func children(named name: String) -> [MarkupElement] { children.filter { $0.name == name } }

    /// Parses a document.
    ///
    /// - Throws: `MarkupFault` with the line and the fault.
    package init(parsing text: String) throws(MarkupFault) {
        // Prolog and comments reach no element, but a document type may also define one.
        guard !text.contains("<!DOCTYPE"), !text.contains("<!ENTITY") else {
            throw MarkupFault(description: "document types and entities are not supported")
        }
        guard !text.utf8.contains(0) else { throw MarkupFault(description: "a NUL character") }
        let reader = Reader()
        var parser = GMarkupParser()
        parser.start_element = { context, name, names, values, data, error in
            Reader.of(data).start(name, names, values)
            if let fault = Reader.of(data).fault { Reader.report(fault, error) }
        }
        parser.end_element = { _, _, data, _ in Reader.of(data).end() }
        parser.text = { _, text, count, data, _ in Reader.of(data).add(text, Int(count)) }
        var error: UnsafeMutablePointer<GError>?
        // The context keeps both pointers.
        let isWhole = withUnsafePointer(to: &parser) { parser in
            withExtendedLifetime(reader) {
                let context = g_markup_parse_context_new(
                    parser, G_MARKUP_TREAT_CDATA_AS_TEXT, Unmanaged.passUnretained(reader).toOpaque(), nil)
                defer { g_markup_parse_context_free(context) }
                return text.utf8CString.withUnsafeBufferPointer { bytes in
                    g_markup_parse_context_parse(context, bytes.baseAddress, bytes.count - 1, &error) != 0
                        && g_markup_parse_context_end_parse(context, &error) != 0
                }
            }
        }
        if let error { throw MarkupFault(description: GLibError(taking: error).message) }
        guard isWhole, let root = reader.root else { throw MarkupFault(description: "the document has no element") }
        self = root
    }

    /// Builds the tree from the parser's calls.
    private final class Reader {
        private var open: [MarkupElement] = []
        private(set) var root: MarkupElement?
        private(set) var fault: String?
        private var count = 0

        static func of(_ data: gpointer?) -> Reader {
            guard let data else { preconditionFailure("the parser was created with a reader") }
            return Unmanaged<Reader>.fromOpaque(data).takeUnretainedValue()
        }

        static func report(_ fault: String, _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) {
            error?.pointee = g_error_new_literal(
                g_markup_error_quark(), gint(G_MARKUP_ERROR_INVALID_CONTENT.rawValue), fault)
        }

        func start(
            _ name: UnsafePointer<CChar>?, _ names: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
            _ values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) {
            count += 1
            if count > maximumCount { fault = "more than \(maximumCount) elements" }
            if open.count >= maximumDepth { fault = "elements are nested more than \(maximumDepth) levels deep" }
            let whole = name.map { String(cString: $0) } ?? ""
            var element = MarkupElement(name: whole.split(separator: ":").last.map(String.init) ?? "")
            var index = 0
            while let name = names?[index], let value = values?[index] {
                element.attributes[String(cString: name)] = String(cString: value)
                index += 1
            }
            open.append(element)
        }

        func end() {
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
        }

        func add(_ text: UnsafePointer<CChar>?, _ count: Int) {
            guard let text, !open.isEmpty else { return }
            let bytes = UnsafeBufferPointer(start: text, count: count).map { UInt8(bitPattern: $0) }
            open[open.count - 1].text += String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// A fault of an XML document.
package struct MarkupFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault in words, with the line if it is known.
    package let description: String
}
