import Keepsake

/// A codec of what is sent to a model's service and comes back from it.
///
/// A file holds a list of messages, a request with such a list, an answer, or a log of requests and answers.
protocol WireCodec: DocumentCodec, PartedCodec where Form == WireForm {
  associatedtype Reader: WireReader

  /// The key of the list of messages in a request.
  static var listKey: String { get }

  /// Returns whether a record begins like a message, and not like a request or an answer.
  static func isMessage(_ record: HeadSketch) -> Bool
}

extension WireCodec {
  /// Cuts a file into lines where each line holds a list of messages, as files for training do.
  static func parts(of file: ForeignFile) throws -> (any PartsReading)? {
    let head = try FileHead(file)
    let isList = head.lines.first?.kind(at: "/\(listKey)") == .array
    return head.holdsLines && isList ? LineParts(file) : nil
  }

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    let head = try FileHead(file)
    if head.holdsLines { return LinesReading(file, WireDecoder<Reader>(nil)) }
    let paths = [[], [listKey]]
    guard head.document.kind(at: "") == .array || head.document.kind(at: "/\(listKey)") == .array
    else { return WholeReading(file, WireDecoder<Reader>(nil)) }
    let envelope = try JSONDocument.envelope(of: file, arrayAt: paths)
    return DocumentReading(file, arrayAt: paths, WireDecoder<Reader>(envelope))
  }

  static func forms(for name: String) -> [WireForm] { [.request, .list] }

  static func form(of envelope: JSON, first record: HeadSketch) -> WireForm? {
    guard isMessage(record) else { return nil }
    if envelope.kind == .array { return .list }
    return envelope[listKey]?.kind == .array ? .request : nil
  }

  static func prefix(_ form: WireForm) -> String {
    switch form {
    case .request: "{\"\(listKey)\":["
    case .list: "["
    }
  }
}

extension FileHead {
  /// Whether the file is JSON Lines.
  var holdsLines: Bool {
    document.kind(at: "") == .object && lines.count > 1 && lines[0].isComplete
  }
}
