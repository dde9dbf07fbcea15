import KeepsakeFiles
import Testing

@Suite struct ZeroBytesTests {
  @Test(arguments: [0, 1, 4095, 4096, 4097, 100_000])
  func `so many zeros follow what was there`(count: Int) {
    var bytes: [UInt8] = [7, 8]
    bytes.append(zeros: count)
    #expect(bytes == [7, 8] + [UInt8](repeating: 0, count: count))
  }
}
