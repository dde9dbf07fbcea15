import Keepsake

/// Writing, reading and removing single objects.
extension ObjectStore {
  /// The most bytes of an object that is written by one request.
  package static let largestPut = 64 << 20

  /// Writes an object, durably.
  /// - Parameters:
  ///   - key: The whole key.
  ///   - bytes: The content.
  ///   - condition: The condition under which it is written; nil to write it in any case.
  package func put(
    _ key: String, _ bytes: [UInt8], if condition: ObjectCondition? = nil
  ) async throws -> ObjectWriting {
    var request = Request(method: "PUT", key: key, body: bytes)
    switch condition {
    case .absent: request.headers["if-none-match"] = "*"
    case .matches(let etag): request.headers["if-match"] = etag
    case nil: break
    }
    var answer = try await send(request)
    if case .matches(let etag) = condition, answer.status == 412, etag.hasPrefix("\"") {
      // Ceph's gateway compares the tag without its quotes.
      request.headers["if-match"] = String(etag.dropFirst().dropLast())
      answer = try await send(request)
    }
    if answer.isGood { return .written(etag: answer.etag) }
    if condition != nil, answer.status == 412 { return .refused }
    // What was to be replaced is gone.
    if case .matches = condition, answer.status == 404, ObjectRefusal(answer).code == "NoSuchKey" {
      return .refused
    }
    if condition != nil, answer.status == 501 || ObjectRefusal(answer).code == "NotImplemented" {
      throw KeepsakeError.objectsUnconditional(
        "\(address)", "its server does not know the condition that it has to keep")
    }
    throw refusal(answer)
  }

  /// Reads some bytes of an object; nil where it is not there.
  /// - Parameters:
  ///   - key: The whole key.
  ///   - start: The place of the first byte.
  ///   - count: The most bytes that are read.
  /// - Returns: The bytes that are there, none behind the end.
  package func get(_ key: String, from start: Int64 = 0, count: Int) async throws -> ObjectPart? {
    var request = Request(method: "GET", key: key, largestAnswer: max(count, 64 << 10))
    request.headers["range"] = "bytes=\(start)-\(start + Int64(count) - 1)"
    let answer = try await send(request)
    switch answer.status {
    case 404 where isMissing(answer): return nil
    case 416:
      guard let info = try await head(key) else { return nil }
      guard info.size <= start else { throw senseless("it has no bytes where an object has some") }
      return ObjectPart(bytes: [], size: info.size, etag: info.etag)
    case 206:
      guard let text = answer.headers["content-range"], let range = Self.range(text),
        range.first == start, range.last - range.first + 1 == answer.body.count,
        answer.body.count <= count
      else { throw senseless("a part of an object is not the one that was asked for") }
      return ObjectPart(bytes: answer.body, size: range.size, etag: answer.etag)
    case 200 where start == 0 && answer.body.count <= count:
      return ObjectPart(bytes: answer.body, size: Int64(answer.body.count), etag: answer.etag)
    case 200: throw senseless("it gives more than the part of an object that was asked for")
    default: throw refusal(answer)
    }
  }

  /// Returns what the server says of an object; nil where it is not there.
  package func head(_ key: String) async throws -> ObjectInfo? {
    let answer = try await send(Request(method: "HEAD", key: key))
    if answer.status == 404 { return nil }
    guard answer.isGood else { throw refusal(answer) }
    guard let size = answer.headers["content-length"].flatMap({ Int64($0) }), size >= 0 else {
      throw senseless("it does not say the size of an object")
    }
    return ObjectInfo(size: size, etag: answer.etag)
  }

  /// Copies an object within the bucket.
  /// - Returns: Whether there was one.
  package func copy(_ key: String, to target: String) async throws -> Bool {
    var request = Request(method: "PUT", key: target)
    request.headers["x-amz-copy-source"] = "/\(address.bucket)/\(PercentEncoding.path(key))"
    let answer = try await send(request)
    if answer.status == 404, isMissing(answer) { return false }
    // The server may say after its good status that it failed.
    guard answer.isGood, Markup(answer.body)?.name == "CopyObjectResult" else {
      throw refusal(answer)
    }
    return true
  }

  /// Removes an object; nothing happens where it is not there.
  package func delete(_ key: String) async throws {
    let answer = try await send(Request(method: "DELETE", key: key))
    guard answer.isGood || answer.status == 404 && isMissing(answer) else { throw refusal(answer) }
  }

  func senseless(_ reason: String) -> KeepsakeError { .objects("\(address)", senseless: reason) }

  /// Tells whether the object is missing, and not the bucket.
  private func isMissing(_ answer: ObjectAnswer) -> Bool {
    ObjectRefusal(answer).code != "NoSuchBucket"
  }

  /// Reads `bytes first-last/size`.
  private static func range(_ text: String) -> (first: Int64, last: Int64, size: Int64)? {
    let parts = text.split(whereSeparator: { " -/".contains($0) })
    guard parts.count == 4, parts[0] == "bytes", let first = Int64(parts[1]),
      let last = Int64(parts[2]), let size = Int64(parts[3]), 0 <= first, first <= last, last < size
    else { return nil }
    return (first, last, size)
  }
}
