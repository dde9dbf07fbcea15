/// Times as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  /// The last second of the year 9999, after which years have five digits.
  private static let last: Int64 = 253_402_300_799

  /// The text of a time.
  /// - Parameter seconds: The seconds since 1970. Times outside of the years 1970 to 9999 become the nearest inside.
  package static func text(_ seconds: Int64) -> String {
    let seconds = min(max(0, seconds), last)
    let (day, second) = (seconds / 86_400, seconds % 86_400)
    let (year, month, dayOfMonth) = date(ofDay: day)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(day % 7)]), \(two(dayOfMonth)) \(months[Int(month) - 1]) \(year) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }

  /// The seconds since 1970 that a text says; nil where it is not written as ``text(_:)`` writes it.
  package static func seconds(_ text: some StringProtocol) -> Int64? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, let month = months.firstIndex(where: { $0 == parts[2] }),
      let day = digits(parts[1], 2), let year = digits(parts[3], 4), year >= 1970
    else { return nil }
    let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
    guard time.count == 3, let hour = digits(time[0], 2), let minute = digits(time[1], 2),
      let second = digits(time[2], 2), hour < 24, minute < 60, second < 60
    else { return nil }
    let seconds =
      self.day(year: year, month: Int64(month) + 1, day: day) * 86_400
      + hour * 3600 + minute * 60 + second
    // Whatever is not the text of that time was no date: the 30th of February, or another day of the week.
    return self.text(seconds) == text ? seconds : nil
  }

  private static func digits(_ text: some StringProtocol, _ count: Int) -> Int64? {
    guard text.utf8.count == count, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return text.utf8.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  // Years are counted from March, so that the day of a leap year is the last one.

  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
