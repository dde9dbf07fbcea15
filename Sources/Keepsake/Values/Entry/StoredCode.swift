/// An enumeration that the database holds as a number.
///
/// The number is the place among the cases, so new cases must come last.
protocol StoredCode: CaseIterable, Equatable, Sendable {
  static var cases: [Self] { get }
}

extension StoredCode {
  var code: Int {
    var code = 0
    for other in Self.cases {
      if other == self { break }
      code += 1
    }
    return code
  }

  init(code: Int, of object: @autoclosure () -> String) throws {
    guard Self.cases.indices.contains(code) else {
      throw KeepsakeError(
        .damaged,
        "\(object()) holds \(code) for \(Self.self), which has no such case.", remedy: .verify
      )
    }
    self = Self.cases[code]
  }
}

extension Entry.Kind: StoredCode { static let cases = allCases }
extension Entry.Status: StoredCode { static let cases = allCases }
extension Entry.Visibility: StoredCode { static let cases = allCases }
extension Entry.Attachment.State: StoredCode { static let cases = allCases }
extension Entry.Attachment.Direction: StoredCode { static let cases = allCases }
extension Entry.Attachment.Maker: StoredCode { static let cases = allCases }
extension Entry.Attachment.Basis: StoredCode { static let cases = allCases }
