#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import CKeepsakeSockets

/// An end of a connection, which is closed when its last owner releases it.
///
/// No call waits: what can't be done at once says so, and ``Readiness`` waits.
package final class StreamSocket: Sendable {
  let raw: Int32

  init(raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// The number of the descriptor, which is its own as long as the socket is open.
  package var number: Int32 { raw }

  /// The result of trying to move bytes.
  package enum Outcome: Sendable, Hashable {
    /// So many bytes were moved, at least one.
    case moved(Int)
    /// Nothing can be moved at the moment.
    case wouldWait
    /// The other side is gone, or sends no more.
    case ended
  }

  /// Adds bytes that have arrived to a buffer.
  /// - Parameters:
  ///   - buffer: The buffer, which grows by what arrived.
  ///   - limit: The most bytes.
  package func receive(into buffer: inout [UInt8], limit: Int) -> Outcome {
    var moved = 0
    var code: Int32 = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: limit) { room, filled in
      moved = uninterrupted { unsafe recv(raw, room.baseAddress, room.count, 0) }
      code = errno
      filled = max(0, moved)
    }
    if moved > 0 {
      if buffer.isEmpty { buffer = piece } else { buffer.append(contentsOf: piece) }
    }
    return Self.outcome(moved, code)
  }

  /// Whether the other side has closed its side, as far as can be seen without reading what it sent before.
  package var isLeft: Bool {
    var byte: UInt8 = 0
    let found = uninterrupted { unsafe recv(raw, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) }
    if found > 0 { return false }
    return found == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)
  }

  /// Sends bytes of two buffers, one after the other.
  /// - Parameters:
  ///   - first: The first buffer.
  ///   - start: The offset of the first byte that is to be sent, in both buffers taken together.
  ///   - second: The second buffer.
  ///   - isMore: Whether more follows at once.
  package func send(
    _ first: [UInt8], _ second: [UInt8] = [], from start: Int = 0, isMore: Bool = false
  ) -> Outcome {
    let begun = min(start, first.count)
    let begunSecond = start - begun
    guard start < first.count + second.count else { return .moved(0) }
    let moved = unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        uninterrupted {
          unsafe keepsake_send(
            raw, first.baseAddress.map { unsafe $0 + begun }, first.count - begun,
            second.baseAddress.map { unsafe $0 + begunSecond }, second.count - begunSecond,
            isMore ? 1 : 0)
        }
      }
    }
    return Self.outcome(moved, errno)
  }

  /// Sends a part of an open file, without a copy in this process where the system can.
  ///
  /// - Returns: `ended` also where the file is shorter than asked for, or can't be read.
  package func send(
    _ file: borrowing FileDescriptor, at offset: Int64, count: Int
  ) -> Outcome {
    let number = file.raw
    let moved = uninterrupted { keepsake_send_file(raw, number, offset, count) }
    if moved != -2 { return Self.outcome(moved, errno) }
    var piece = [UInt8](repeating: 0, count: min(count, 128 << 10))
    guard let read = try? file.read(into: &piece, at: offset), read > 0 else { return .ended }
    piece.removeLast(piece.count - read)
    return send(piece)
  }

  /// Says that no more is sent. What was sent before still arrives.
  package func endSending() { _ = shutdown(raw, Int32(SHUT_WR)) }

  /// Ends both directions at once; whoever waits for this socket on another thread wakes up.
  package func end() { _ = shutdown(raw, Int32(SHUT_RDWR)) }

  private static func outcome(_ moved: Int, _ code: Int32) -> Outcome {
    if moved > 0 { return .moved(moved) }
    if moved < 0, code == EAGAIN || code == EWOULDBLOCK { return .wouldWait }
    return .ended
  }
}
