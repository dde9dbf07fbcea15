import Keepsake

/// Writing a large object in parts, of which nothing is seen before all are there.
extension ObjectStore {
  /// The size of a part.
  package static let part = 16 << 20
  /// The most parts of an object.
  private static let mostParts = 10_000

  /// An object that is being written in parts.
  package struct Parts: Sendable {
    let key: String
    let upload: String
    var etags: [String] = []
    var size: Int64 = 0
  }

  /// Begins an object that is written in parts. Whoever begins one ends it, by ``finish(_:)`` or ``abandon(_:)``.
  package func begin(_ key: String) async throws -> Parts {
    let answer = try await send(Request(method: "POST", key: key, query: [("uploads", "")]))
    guard answer.isGood else { throw refusal(answer) }
    guard let upload = Markup(answer.body)?.text(of: "UploadId"), !upload.isEmpty else {
      throw senseless("it does not say the name of an upload")
    }
    return Parts(key: key, upload: upload)
  }

  /// Writes the next part.
  package func add(_ bytes: [UInt8], to parts: inout Parts) async throws {
    guard parts.etags.count < Self.mostParts else {
      throw KeepsakeError(
        .tooLarge,
        "An object can't be written to the bucket: more than \(Self.mostParts) parts of 16 MiB are not taken.",
        object: "\(address)")
    }
    let answer = try await send(
      Request(
        method: "PUT", key: parts.key,
        query: [("partNumber", "\(parts.etags.count + 1)"), ("uploadId", parts.upload)], body: bytes
      ))
    guard answer.isGood else { throw refusal(answer) }
    guard let etag = answer.etag else { throw senseless("it gives no tag for a part") }
    parts.etags.append(etag)
    parts.size += Int64(bytes.count)
  }

  /// Makes the object of its parts.
  package func finish(_ parts: Parts) async throws {
    let list = parts.etags.enumerated().map { number, etag in
      "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(Self.escaped(etag))</ETag></Part>"
    }
    let text =
      "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      + list.joined() + "</CompleteMultipartUpload>"
    var request = Request(
      method: "POST", key: parts.key, query: [("uploadId", parts.upload)], body: Array(text.utf8))
    request.headers["content-type"] = "application/xml"
    let answer = try await send(request)
    // The server may say after its good status that it failed.
    let isGood =
      answer.isGood && Markup(answer.body)?.name == "CompleteMultipartUploadResult"
    if !isGood, !answer.isGood, ObjectRefusal(answer).code != "NoSuchUpload" {
      throw refusal(answer)
    }
    // After an answer that was lost the upload is gone, and the object is there.
    guard let info = try await head(parts.key), info.size == parts.size else {
      throw refusal(answer)
    }
  }

  /// Gives up an object that was begun, as far as the server can be reached.
  package func abandon(_ parts: Parts) async {
    do {
      try await remove(Unfinished(key: parts.key, upload: parts.upload, begun: nil))
    } catch {
      // Buckets can be set to remove such parts after some days.
    }
  }

  private static func escaped(_ text: String) -> String {
    String(
      text.map { character -> String in
        switch character {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: String(character)
        }
      }.joined())
  }
}
