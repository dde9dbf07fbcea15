import Keepsake
import KeepsakeHTTP
