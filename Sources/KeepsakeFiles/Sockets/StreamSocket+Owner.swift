#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import CKeepsakeSockets

extension StreamSocket {
  /// The user whose program is at the other end, on this machine; nil where the system does not tell.
  ///
  /// Linux lists the connections of the machine with their owners. Each connection of a machine with itself stands there twice,
  /// once for each end.
  package var peerOwner: PeerOwner? {
    #if os(Linux)
      var own = keepsake_endpoint()
      var peer = keepsake_endpoint()
      guard unsafe keepsake_endpoints(raw, &own, &peer) == 0 else { return nil }
      let list = own.words == 4 ? "/proc/net/tcp6" : "/proc/net/tcp"
      guard let bytes = try? FileDescriptor(opening: list).readAll(limit: 16 << 20) else {
        return nil
      }
      return Self.owner(
        of: Self.name(peer), to: Self.name(own), in: String(decoding: bytes, as: UTF8.self))
    #else
      return nil
    #endif
  }

  /// Finds the owner of a connection in the system's list of them.
  ///
  /// - Parameters:
  ///   - local: The address and port of the end whose owner is asked for, as the list writes them.
  ///   - remote: The address and port of the other end.
  ///   - list: The list, which has a connection in each line but the first.
  static func owner(of local: String, to remote: String, in list: String) -> PeerOwner? {
    for line in list.utf8.split(separator: 0x0A).dropFirst() {
      let words = line.split(separator: 0x20, maxSplits: 8)
      guard words.count > 7, words[1].elementsEqual(local.utf8), words[2].elementsEqual(remote.utf8)
      else { continue }
      return UInt32(String(decoding: Array(words[7]), as: UTF8.self)).map(PeerOwner.init)
    }
    return nil
  }

  #if os(Linux)
    /// Writes an address and port as the system's list has them: words of four bytes in the machine's order, then the port.
    private static func name(_ end: keepsake_endpoint) -> String {
      let words = [end.address.0, end.address.1, end.address.2, end.address.3].prefix(
        Int(end.words))
      return words.map { hex(UInt64($0), digits: 8) }.joined() + ":"
        + hex(UInt64(end.port), digits: 4)
    }

    private static func hex(_ number: UInt64, digits: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
  #endif
}
