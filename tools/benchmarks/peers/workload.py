"""What every contender is given: conversations in four languages and images, alike in every run."""

import random

# Everyday words; a text is drawn from those of one language.
WORDS = {
    "en": """the of and a to in is you that it he was for on are as with his they at be this have from or one had by word but
        not what all were we when your can said there use an each which she do how their if will up other about out many then
        banana window light painted lantern morning harbour slowly between""",
    "de": """der die das und ist ein eine nicht mit auf für von sich dem den im auch als nach wie bei aus wenn nur werden noch
        über schon mehr können gegen müssen Zeit Jahr Mädchen Straße größer schön Fenster Licht gemalt Laterne Morgen Hafen
        langsam zwischen Äpfel Übung""",
    "ru": """и в не на я быть он с что а по это она этот к но они мы весь который из у за свой что-то год от так о для ты же
        все тот мочь вы человек такой его сказать только или ещё бы себя один как уже до время банан окно свет фонарь утро
        гавань медленно между""",
    "zh": """的 一 是 不 了 在 人 有 我 他 这 个 们 中 来 上 大 为 和 国 地 到 以 说 时 要 就 出 会 可 也 你 对 生 能 而 子 那 得 于 着
        下 自 之 年 过 发 后 作 里 香蕉 窗户 灯笼 早晨 港口 慢慢 之间""",
}
# In one text of ten: what is searched for.
WORD = "kaleidoscope"


class Workload:
    def __init__(self, seed=7):
        self.random = random.Random(seed)

    def text(self, size=850):
        """A text of about so many bytes."""
        language = self.random.choice(sorted(WORDS))
        words, parts, length = WORDS[language].split(), [], 0
        if self.random.random() < 0.1:
            parts.append(WORD)
        while length < size:
            word = self.random.choice(words)
            parts.append(word)
            length += len(word.encode()) + (language != "zh")
        return ("" if language == "zh" else " ").join(parts)

    def texts(self, count):
        return [self.text() for _ in range(count)]

    def image(self, path, size=100_000):
        """A file that no store can make smaller, as images are."""
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + self.random.randbytes(size - 8))
        return path
