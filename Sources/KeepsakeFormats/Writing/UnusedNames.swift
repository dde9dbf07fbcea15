/// Chooses names for the files of one folder that differ even where letter case is ignored.
struct UnusedNames: Sendable {
  /// The chosen names in lower case.
  private var taken: Set<String> = []
  /// The last number that was appended to a name, for names that were wanted more than once.
  private var numbers: [String: Int] = [:]

  /// Chooses a name close to the wanted one that is not taken: `cup.png`, then `cup-2.png`.
  mutating func take(_ name: String) -> String {
    let wanted = name.lowercased()
    if taken.insert(wanted).inserted { return name }
    let (stem, ending) = Self.parts(of: name)
    // The search continues at the last number, because very many artifacts may want the same name.
    var number = numbers[wanted] ?? 1
    var candidate: String
    repeat {
      number += 1
      candidate = "\(stem)-\(number)\(ending)"
    } while !taken.insert(candidate.lowercased()).inserted
    numbers[wanted] = number
    return candidate
  }

  /// Returns whether a name was chosen.
  func isTaken(_ name: String) -> Bool { taken.contains(name.lowercased()) }

  /// Splits a name into its stem, and its extension with the dot.
  static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}
