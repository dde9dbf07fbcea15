#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP

/// A request for a route: what stood in its path, its query and its body.
struct Request: Sendable {
  let http: HTTPRequest
  let endpoint: Endpoint
  /// The texts of the named segments of the path.
  let names: [String: String]

  /// Checks the query against what the endpoint declares.
  ///
  /// - Throws: A ``Problem`` about an item that is not declared, stands twice, or has a malformed value. A silent
  ///   guess would give a program other rows than it asked for.
  init(_ http: HTTPRequest, _ endpoint: Endpoint, names: [String: String]) throws(Problem) {
    self.http = http
    self.endpoint = endpoint
    self.names = names
    guard endpoint.isForPrograms else { return }
    var seen: Set<String> = []
    for item in http.head.query {
      guard endpoint.query.contains(where: { $0.name.description == item.name }) else {
        let known = endpoint.query.map { "'\($0.name)'" }.joined(separator: ", ")
        throw .invalid(
          "The query has an item that this address does not know. "
            + (known.isEmpty ? "It takes none." : "It knows \(known)."))
      }
      guard seen.insert(item.name).inserted else {
        throw .invalid("The query has '\(item.name)' twice. Give it once.")
      }
    }
  }

  // MARK: - The path

  /// The session that the path names by its id.
  func session(in store: Store) async throws -> Session {
    guard let text = names["session"], let id = UUID(uuidString: text), text.utf8.count == 36 else {
      throw Problem.notFound("No session has that id.")
    }
    return try await store.session(id)
  }

  /// The artifact that the path names by its digest.
  func artifact(in store: Store) async throws -> Artifact {
    guard let id = artifactID else { throw Problem.notFound("No artifact has that digest.") }
    return try await store.artifact(id)
  }

  /// The id of the artifact that the path names; nil where the segment is no digest in small letters.
  var artifactID: Artifact.ID? {
    guard let text = names["digest"], text.utf8.count == 64,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return Artifact.ID(text)
  }

  /// The position that the path names.
  func position() throws(Problem) -> Int {
    guard let text = names["position"], let position = Self.number(text) else {
      throw .notFound("There is no entry at that position.")
    }
    return position
  }

  /// The entry at the position that the path names. A position that is not there is nothing at this address.
  func entry(of session: Session) async throws -> Entry {
    do { return try await session.entry(at: try position()) } catch let error as KeepsakeError
      where error.code == .outOfRange
    { throw Problem.notFound(error.message) }
  }

  // MARK: - The query

  /// The value of an item of the query; nil where it is missing or empty, as a form sends a field that was left empty.
  func text(_ name: StaticString) -> String? {
    http.head.query(name.description).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A number of the query within its declared limits, or its usual value.
  func number(_ name: StaticString) throws(Problem) -> Int {
    guard let parameter = endpoint.query.first(where: { $0.name.description == name.description }),
      case .number(let range, let usual) = parameter.kind
    else { preconditionFailure("'\(name)' is declared as a number") }
    guard let text = text(name) else { return usual }
    guard let number = Self.number(text), range.contains(number) else {
      throw .invalid("'\(name)' is a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func position(_ name: StaticString) throws(Problem) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Self.number(text) else {
      throw .invalid("'\(name)' is a position: it counts entries from 0.")
    }
    return number
  }

  /// A time of the query: RFC 3339, or a day, which begins at midnight of UTC.
  func time(_ name: StaticString) throws(Problem) -> Date? {
    guard let text = text(name) else { return nil }
    let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
    guard let microseconds = RFC3339.microseconds(full) else {
      throw .invalid("'\(name)' is a time as RFC 3339 has it, or a day: 2026-11-25.")
    }
    return Date(microseconds: microseconds)
  }

  /// A cursor of the query, as the page before gave it.
  func cursor<Cursor: LosslessStringConvertible>(_ name: StaticString, as _: Cursor.Type)
    throws(Problem) -> Cursor?
  {
    guard let text = text(name) else { return nil }
    guard let cursor = Cursor(text) else {
      throw .invalid("'\(name)' is no cursor that an earlier page of this list gave.")
    }
    return cursor
  }

  /// Returns whether an item stands in the query with the value 1 or true.
  func flag(_ name: StaticString) -> Bool {
    text(name).map { $0 == "1" || $0 == "true" } ?? false
  }

  /// A value of the query out of some names.
  func choice(_ name: StaticString) throws(Problem) -> String? {
    guard let parameter = endpoint.query.first(where: { $0.name.description == name.description }),
      case .choice(let names) = parameter.kind
    else { preconditionFailure("'\(name)' is declared as a choice") }
    guard let text = text(name) else { return nil }
    guard names.contains(text) else {
      throw .invalid("'\(name)' is one of \(names.joined(separator: ", ")).")
    }
    return text
  }

  private static func number(_ text: String) -> Int? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      return nil
    }
    return Int(text)
  }
}
