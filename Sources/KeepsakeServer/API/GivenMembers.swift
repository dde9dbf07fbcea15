#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The members of an object of JSON that a request brings: each is known, and of its type.
struct GivenMembers {
  private let members: [String: JSON]

  /// - Throws: A ``Problem`` about a body that is no object, or that has a member which is not known. A member that was
  ///   left out by a slip of the pen would otherwise be lost without a word.
  init(_ body: [UInt8], knowing names: Set<String>) throws(Problem) {
    let json: JSON
    do { json = try JSON(validating: body) } catch {
      throw .invalid("The body is no JSON: \(error)")
    }
    guard let given = json.members else {
      throw .invalid("The body is \(json.kind). Send an object.")
    }
    var members: [String: JSON] = [:]
    for (name, value) in given {
      guard names.contains(name) else {
        throw .invalid(
          "The body has a member that is not known here. It knows \(names.sorted().map { "'\($0)'" }.joined(separator: ", "))."
        )
      }
      guard members.updateValue(value, forKey: name) == nil else {
        throw .invalid("The body has '\(name)' twice.")
      }
    }
    self.members = members
  }

  func has(_ name: String) -> Bool { members[name] != nil }

  func text(_ name: String) throws(Problem) -> String? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let text = value.stringValue else {
      throw .invalid("'\(name)' is \(value.kind). Send a string.")
    }
    return text
  }

  func texts(_ name: String) throws(Problem) -> [String]? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let list = value.arrayValue else {
      throw .invalid("'\(name)' is \(value.kind). Send an array of strings.")
    }
    var texts: [String] = []
    for element in list {
      guard let text = element.stringValue else {
        throw .invalid("'\(name)' has an element that is no string.")
      }
      texts.append(text)
    }
    return texts
  }

  func object(_ name: String) throws(Problem) -> JSON? {
    guard let value = members[name], !value.isNull else { return nil }
    guard value.members != nil else {
      throw .invalid("'\(name)' is \(value.kind). Send an object.")
    }
    return value
  }

  func id(_ name: String) throws(Problem) -> UUID? {
    guard let text = try text(name) else { return nil }
    guard text.utf8.count == 36, let id = UUID(uuidString: text) else {
      throw .invalid("'\(name)' is no UUID.")
    }
    return id
  }

  func position(_ name: String) throws(Problem) -> Int? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let number = value.intValue, (0...Int64(Int32.max)).contains(number) else {
      throw .invalid("'\(name)' is a position: it counts entries from 0.")
    }
    return Int(number)
  }
}
