import KeepsakeFiles
import Keepsake

/// The facts about a part of a message of Gemini that its service's rules need.
struct GeminiSentPart: Sendable {
  enum Kind { case call, response, image, other }

  let kind: Kind
  let range: Range<Int>
  let pointer: String
  let id: String?
  let name: String?
  let media: SentMedia?
  /// The range of the signature of a thought, with its key and a comma; nil where there is none.
  let signature: Range<Int>?
  let isSignatureDamaged: Bool

  init(_ range: Range<Int>, at pointer: String, in line: [UInt8]) {
    self.range = range
    self.pointer = pointer
    let part = JSONObject(range, in: line)
    let call = part.flatMap { $0.object("functionCall") ?? $0.object("function_call") }
    let response = part.flatMap { $0.object("functionResponse") ?? $0.object("function_response") }
    let inline = part.flatMap { $0.object("inlineData") ?? $0.object("inline_data") }
    id = (call ?? response)?.name("id")
    name = (call ?? response)?.name("name")
    kind = call != nil ? .call : response != nil ? .response : inline != nil ? .image : .other
    media = inline.flatMap { inline in
      guard let data = inline["data"], inline.kind("data") == .string else { return nil }
      let type = inline.string("mimeType") ?? inline.string("mime_type")
      return SentMedia(
        isImage: type.map { MediaType($0).isImage } ?? true,
        base64: (data.lowerBound + 1)..<(data.upperBound - 1), stated: type, typeRange: nil,
        in: line)
    }
    let key = part.flatMap { part in
      ["thoughtSignature", "thought_signature"].first { part[$0] != nil }
    }
    signature = key.flatMap { key in part.flatMap { $0.place(ofMember: key) } }
    // Only the service can read a signature, but its base64 can be checked.
    isSignatureDamaged =
      key.flatMap { key in part?[key] }.map { value in
        value.count <= 2
          || ForeignBase64.decode(line[(value.lowerBound + 1)..<(value.upperBound - 1)]) == nil
      } ?? false
  }
}

extension JSONObject {
  /// The range of a member with its key and one of the commas beside it.
  fileprivate func place(ofMember key: String) -> Range<Int>? {
    guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
    var start = members[index].value.lowerBound
    // Go back over the colon to the quote after the key, which has no escapes.
    while start > 0, bytes[start - 1] != UInt8(ascii: "\"") { start -= 1 }
    start -= key.utf8.count + 2
    if index + 1 < members.count {
      var end = members[index].value.upperBound
      while bytes[end] != UInt8(ascii: ",") { end += 1 }
      return start..<(end + 1)
    }
    if index > 0 { start = members[index - 1].value.upperBound }
    return start..<members[index].value.upperBound
  }
}
