/// How much an archive may unpack to, before it is taken for one that is made to fill a disk.
public struct UnpackingLimits: Sendable {
  /// How many bytes all members may unpack to. Exports of people who wrote for years, with all their images, are a tenth of this.
  public var bytes: Int64 = 64 << 30
  /// How many bytes one member may unpack to. The largest is the one file that holds all conversations.
  public var memberBytes: Int64 = 16 << 30
  /// Members, folders included. Each image that was ever sent or made is one.
  public var members = 200_000
  /// Folders inside of each other. Exports have two or three.
  public var depth = 32
  /// How many times larger than the file it may become. Text compresses to a twentieth, text that repeats itself to a
  /// hundredth; a bomb is made of zeros, which compress to a thousandth.
  public var ratio: Int64 = 200
  /// So much may come out of any file, whatever its size: small files compress better.
  public var freeOfRatio: Int64 = 64 << 20
  /// What is left of the disk to others.
  public var spare: Int64 = 64 << 20

  public init() {}
}
