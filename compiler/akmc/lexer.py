"""From a text to its words, one at a time: what a word is depends on what may come where it stands."""

from akmc.automaton import Refused, Token
from akmc.language import Language, Lexicon


class NotAToken(Exception):
    """The text at offset `at` begins no word and no sign at all."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Lexer:
    """A place in a text, `at`, from which the next word is read."""

    def __init__(self, language: Language, text: str) -> None:
        self.at = 0
        self._language = language
        self._text = text

    def next(self, state: int) -> Token | None:
        """The next word, or None at the end of the text. Only what may come in `state` is looked for.

        Raises Refused when another word stands there, and NotAToken when none does.
        """
        token = self._read(self._language.lexicon(state))
        if token is None:
            self._expect_end()
        return token

    def _read(self, lexicon: Lexicon) -> Token | None:
        """The next word that `lexicon` has, or None."""
        match = lexicon.tried.match(self._text, self.at)
        if match is None:
            return None
        kind, end = match.lastgroup, match.end()
        assert kind is not None, "each alternative is a group"
        text = match[kind]
        self.at = end
        if kind in lexicon.words:
            kind = lexicon.words[kind].get(text, kind)
        return Token(kind, text, end - len(text), end)

    def _expect_end(self) -> None:
        """Raises Refused or NotAToken when the text goes on."""
        skipped = self._language.ignored.match(self._text, self.at)
        assert skipped is not None, "it matches nothing too"
        if skipped.end() < len(self._text):
            token = self._read(self._language.every_terminal())
            raise NotAToken(skipped.end()) if token is None else Refused(token)
