/// A date in the calendar of HTTP, in the time zone of Greenwich.
struct HTTPDate: Sendable, Hashable {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  let year: Int64
  let month: Int64
  let day: Int64
  let hour: Int64
  let minute: Int64
  let second: Int64

  /// Creates the date of a moment, in seconds since 1970.
  init(seconds: Int64) {
    let (days, rest) = (seconds / 86_400, seconds % 86_400)
    // The calendar repeats after 146,097 days; its years begin in March, so that leap days come last.
    let shifted = days + 719_468
    let (era, inEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * inYear + 2) / 153
    day = inYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    (hour, minute, second) = (rest / 3600, rest % 3600 / 60, rest % 60)
  }

  /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT` as seconds since 1970; nil for another text.
  static func seconds(_ text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]), (1...31).contains(day),
      let index = months.firstIndex(of: String(parts[2])), let year = Int64(parts[3]),
      (1970...9999).contains(year)
    else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int64($0) }
    guard clock.count == 3, clock.allSatisfy({ (0...60).contains($0) }) else { return nil }
    let month = Int64(index) + 1
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = (shiftedYear / 400, shiftedYear % 400)
    let inYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let inEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + inYear
    let days = era * 146_097 + inEra - 719_468
    return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }
}
