/// Names of files in one folder, none of them twice, also where letter case makes no difference.
struct UnusedNames: Sendable {
  /// Without what some file systems make no difference of.
  private var taken: Set<String> = []
  /// Of names that were wanted more than once: the last number that one of them was given.
  private var numbers: [String: Int] = [:]

  /// A name like this one that none was given yet: `cup.png`, `cup-2.png`.
  mutating func take(_ name: String) -> String {
    let wanted = name.lowercased()
    if taken.insert(wanted).inserted { return name }
    let (stem, ending) = Self.parts(of: name)
    // On from the last one: as many may want the same name as there are artifacts.
    var number = numbers[wanted] ?? 1
    var candidate: String
    repeat {
      number += 1
      candidate = "\(stem)-\(number)\(ending)"
    } while !taken.insert(candidate.lowercased()).inserted
    numbers[wanted] = number
    return candidate
  }

  /// Whether a name was given.
  func isTaken(_ name: String) -> Bool { taken.contains(name.lowercased()) }

  /// A name without its extension, and the extension with its dot.
  static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}
