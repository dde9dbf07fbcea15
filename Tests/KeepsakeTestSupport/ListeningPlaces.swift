#if os(Linux)
  import KeepsakeFiles

  /// The addresses of this machine at which programs listen, as the system lists them.
  package enum ListeningPlaces {
    /// Returns the addresses at which somebody listens at a port, in the system's own hexadecimal spelling.
    package static func addresses(at port: Int) throws -> Set<String> {
      let digits = String(port, radix: 16, uppercase: true)
      let end = ":" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      var found: Set<String> = []
      for table in ["tcp", "tcp6"] {
        // Foundation reads only the first page of such a file, which has no size.
        let bytes = try FileDescriptor(opening: "/proc/net/\(table)").readAll(limit: 16 << 20)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
          let words = line.split(separator: " ")
          // The state 0A is one that listens.
          guard words.count > 3, words[3] == "0A", words[1].hasSuffix(end) else { continue }
          found.insert(String(words[1].dropLast(end.count)))
        }
      }
      return found
    }
  }
#endif
