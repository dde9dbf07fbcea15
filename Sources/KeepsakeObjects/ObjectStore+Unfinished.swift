import Keepsake

/// Objects that somebody began to write in parts, and did not end.
extension ObjectStore {
  /// An object of which parts are there, and perhaps not all.
  package struct Unfinished: Sendable, Hashable {
    let key: String
    let upload: String
    /// The second at which it was begun, by the server's clock; nil where the server does not say it.
    let begun: Int64?
  }

  /// Lists the unfinished objects whose keys begin with a text; none where the server or its rules don't let them be listed.
  package func unfinished(_ prefix: String) async throws -> [Unfinished] {
    var found: [Unfinished] = []
    var mark: (key: String, upload: String)?
    while true {
      var request = Request(method: "GET")
      request.query = [("uploads", ""), ("prefix", prefix)]
      if let mark {
        request.query += [("key-marker", mark.key), ("upload-id-marker", mark.upload)]
      }
      let answer = try await send(request)
      guard answer.isGood else { return [] }
      guard let page = Markup(answer.body), page.name == "ListMultipartUploadsResult" else {
        throw senseless("its list of uploads can't be read")
      }
      for upload in page.all("Upload") {
        guard let key = upload.text(of: "Key"), let id = upload.text(of: "UploadId") else {
          throw senseless("its list of uploads can't be read")
        }
        let begun = upload.text(of: "Initiated").flatMap(RFC3339.microseconds)
        guard key.utf8.starts(with: prefix.utf8) else { continue }
        found.append(Unfinished(key: key, upload: id, begun: begun.map { $0 / 1_000_000 }))
      }
      guard page.text(of: "IsTruncated")?.lowercased() == "true" else { return found }
      let next = (
        key: page.text(of: "NextKeyMarker") ?? "", upload: page.text(of: "NextUploadIdMarker") ?? ""
      )
      guard !next.key.isEmpty, mark.map({ $0 != next }) ?? true else {
        throw senseless("its list of uploads does not end")
      }
      mark = next
    }
  }

  /// Returns the bytes that an unfinished object has, of its first thousand parts at the most; 0 where the server does not tell them.
  package func size(of unfinished: Unfinished) async throws -> Int64 {
    let answer = try await send(
      Request(method: "GET", key: unfinished.key, query: [("uploadId", unfinished.upload)]))
    guard answer.isGood, let parts = Markup(answer.body) else { return 0 }
    return parts.all("Part").compactMap { $0.text(of: "Size").flatMap { Int64($0) } }.reduce(0, +)
  }

  /// Removes the parts of an unfinished object. One that is not there any more is passed over.
  package func remove(_ unfinished: Unfinished) async throws {
    let answer = try await send(
      Request(method: "DELETE", key: unfinished.key, query: [("uploadId", unfinished.upload)]))
    guard answer.isGood || answer.status == 404 else { throw refusal(answer) }
  }
}
