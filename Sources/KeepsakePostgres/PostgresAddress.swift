import Keepsake

#if canImport(CKeepsakePostgres)
  import CKeepsakePostgres
#endif

/// The address of a hub in PostgreSQL: `postgresql://user@host:port/database?keepsake_space=NAME`.
///
/// The query may hold all else that libpq knows. A password has no place in an address, because addresses are kept in stores and
/// shown in messages; libpq reads it from the environment, from `.pgpass` or from a service file.
package struct PostgresAddress: Sendable {
  /// The space that an address without one means.
  package static let usualSpace = "default"
  private static let longestSpace = 200

  /// The address with nothing in it but user, host, port, database and space, for messages.
  package let text: String
  /// The name of the space.
  package let space: String
  /// The names and values that libpq is given.
  package let options: [(name: String, value: String)]

  /// Reads an address.
  /// - Throws: A ``KeepsakeError`` that never shows the address itself, in which a password may stand.
  package init(_ address: String) throws {
    let (plain, space) = try Self.split(address)
    guard !space.isEmpty, space.utf8.count <= Self.longestSpace, !space.utf8.contains(0) else {
      throw KeepsakeError(
        .invalid,
        "The name of a space in a hub has 1 to \(Self.longestSpace) bytes. Change 'keepsake_space' in the address."
      )
    }
    let given = try Self.parsed(plain)
    guard !given.contains(where: { ["password", "sslpassword"].contains($0.name) }) else {
      throw KeepsakeError(
        .refused,
        "A password stands in the address of a hub, where others would see it. "
          + "Put it into ~/.pgpass, into a service file, or into the environment as PGPASSWORD, and leave it out of the address."
      )
    }
    self.space = space
    text = Self.shown(given, space)
    options = Self.completed(given)
  }

  /// Takes the space out of the query, which libpq does not know.
  private static func split(_ address: String) throws -> (String, String) {
    guard ["postgresql://", "postgres://"].contains(where: address.hasPrefix),
      !address.utf8.contains(0)
    else { throw unreadable }
    guard let mark = address.firstIndex(of: "?") else { return (address, usualSpace) }
    var space = usualSpace
    let parts = address[address.index(after: mark)...].split(separator: "&").filter { part in
      guard part.hasPrefix("keepsake_space=") else { return true }
      space = decoded(part.dropFirst("keepsake_space=".count)) ?? ""
      return false
    }
    let query = parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    return (address[..<mark] + query, space)
  }

  /// Replaces the bytes that are written as `%41`; nil where that is not how it is written, or gives no text.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain =
        byte < 128 && (character.isLetter || character.isNumber || "-._~".contains(character))
      let hex = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(character) : "%" + (hex.utf8.count == 1 ? "0" : "") + hex
    }.joined()
  }

  private static func shown(_ given: [(name: String, value: String)], _ space: String) -> String {
    func value(_ name: String) -> String? { given.first { $0.name == name }?.value }
    var text = "postgresql://"
    if let user = value("user") { text += encoded(user) + "@" }
    let hosts = (value("host") ?? value("hostaddr") ?? "").split(
      separator: ",", omittingEmptySubsequences: false)
    let ports = (value("port") ?? "").split(separator: ",", omittingEmptySubsequences: false)
    text += hosts.enumerated().map { place, host in
      let port = ports.count == 1 ? ports[0] : place < ports.count ? ports[place] : ""
      let name = host.contains(":") ? "[\(host)]" : encoded(String(host))
      return port.isEmpty ? name : "\(name):\(port)"
    }.joined(separator: ",")
    if let database = value("dbname") { text += "/" + encoded(database) }
    return text + "?keepsake_space=" + encoded(space)
  }

  /// Adds what an address usually leaves out: a connection whose other end is gone must be noticed.
  private static func completed(
    _ given: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    var usual = [
      ("application_name", "keepsake"), ("connect_timeout", "5"), ("keepalives_idle", "30"),
      ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
    ]
    // An address that lists several servers means the server that takes commits.
    if given.contains(where: { ["host", "hostaddr"].contains($0.name) && $0.value.contains(",") }) {
      usual.append(("target_session_attrs", "read-write"))
    }
    let missing = usual.filter { name, _ in !given.contains { $0.name == name } }
    return given.filter { $0.name != "client_encoding" } + missing.map { (name: $0.0, value: $0.1) }
      + [(name: "client_encoding", value: "UTF8")]
  }

  private static var unreadable: KeepsakeError {
    KeepsakeError(
      .invalid,
      "The address of the hub can't be read as one of PostgreSQL. "
        + "Write it as postgresql://user@host:port/database?keepsake_space=NAME, with % and two digits for special characters."
    )
  }

  #if canImport(CKeepsakePostgres)
    /// Has libpq read an address without a space.
    private static func parsed(_ address: String) throws -> [(name: String, value: String)] {
      guard let library = PostgresLibrary.shared else {
        throw KeepsakeError.noPostgres(
          "libpq is not installed, which speaks with PostgreSQL. Install it (on Debian: libpq5).")
      }
      // What the library says against an address may repeat a part of a password, so nobody is shown it.
      var reason: UnsafeMutablePointer<CChar>?
      let list = unsafe library.functions.conninfoParse(address, &reason)
      defer {
        if let reason = unsafe reason { unsafe library.functions.freemem(reason) }
      }
      guard let list = unsafe list else { throw unreadable }
      defer { unsafe library.functions.conninfoFree(list) }
      var found: [(name: String, value: String)] = []
      var option = unsafe list
      while let keyword = unsafe option.pointee.keyword {
        if let value = unsafe option.pointee.val {
          unsafe found.append((name: String(cString: keyword), value: String(cString: value)))
        }
        unsafe option += 1
      }
      return found
    }
  #else
    private static func parsed(_ address: String) throws -> [(name: String, value: String)] {
      throw KeepsakeError.noPostgres(
        "Hubs in PostgreSQL are not there on this system. Use another kind of hub.")
    }
  #endif
}
