"""Sentences with trees, in texts of our own making."""

import pytest

from store.errors import ImportFormatError
from store.importers.conllu.trees import Sentence, Token, read_sentence, read_sentences

HEADER = "# newdoc id = a\n# sent_id = s-1\n# text = Don't go.\n"


def row(number, form, head, deprel="dep", upos="X", misc="_"):
    return f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t{misc}\n"


def shaped(text):
    return [(token.form, token.head) for token in read_sentence(text).tokens]


def test_a_sentence_with_everything() -> None:
    text = (
        HEADER
        + row("1-2", "Don't", "_", "_")
        + row(1, "Do", 3, "aux", "AUX")
        + row(2, "n't", 3, "advmod", "PART")
        + row(3, "go", 0, "root", "VERB", "SpaceAfter=No|x=y")
        + row("3.1", "you", "_", "_")
        + row(4, ".", 3, "punct", "PUNCT")
    )
    assert read_sentence(text) == Sentence(
        (
            Token("Do", "AUX", 3, "aux", 5),
            Token("n't", "PART", 3, "advmod", 6),
            Token("go", "VERB", 0, "root", 7),
            Token(".", "PUNCT", 3, "punct", 9),
        ),
        "Don't go.",
        text.rstrip("\n"),
        1,
        "s-1",
        "a",
    )


def test_the_text_is_put_together_where_no_comment_states_it() -> None:
    text = (
        row("1-2", "Don't", "_", "_")
        + row(1, "Do", 3)
        + row(2, "n't", 3)
        + row(3, "go", 0, misc="SpaceAfter=No")
        + row(4, ".", 3)
    )
    assert read_sentence(text).text == "Don't go."


@pytest.mark.parametrize("between", ["\n", "\n\n\n", "\r\n", "  \t \n", "\n\r\n \n"])
def test_what_parts_sentences(between) -> None:
    found = read_sentences(row(1, "a", 0) + between + row(1, "b", 2) + row(2, "c", 0))
    assert [[token.form for token in one.tokens] for one in found] == [["a"], ["b", "c"]]


def test_windows_line_ends_are_no_part_of_a_cell() -> None:
    text = row(1, "a", 0).replace("\n", "\r\n")
    assert read_sentence(text) == read_sentence(row(1, "a", 0))


def test_words_may_hold_blanks_and_odd_line_breaks() -> None:
    assert shaped(row(1, "10 000\u2028x", 2) + row(2, "#", 0)) == [("10 000\u2028x", 2), ("#", 0)]


def test_several_roots_and_circles_are_read() -> None:
    assert shaped(row(1, "a", 0) + row(2, "b", 0) + row(3, "c", 3)) == [
        ("a", 0),
        ("b", 0),
        ("c", 3),
    ]


def test_documents() -> None:
    one = row(1, "a", 0) + "\n"
    found = read_sentences(one + "# newdoc\n" + one + one + "#newdoc id = last\n" + one)
    assert [sentence.document for sentence in found] == [None, "document 1", "document 1", "last"]


def test_comments_alone_are_no_sentence() -> None:
    assert len(read_sentences("# one\n\n" + row(1, "a", 0) + "\n# two\n")) == 1


@pytest.mark.parametrize(
    ("text", "line", "field", "part"),
    [
        ("\n\n# nothing\n", None, None, "holds no sentence"),
        (row(1, "a", 0) + "2\tb\t0\n", 2, None, "3 columns between tabs; a token has 10"),
        (row(1, "a", 0) + "2 b 0\n", 2, None, "1 column between tabs"),
        (row(1, "a", 0) + row(3, "c", 1), 2, "ID", "numbered '3', expected 2"),
        (row(1, "a", 0) + row(1, "c", 0), 2, "ID", "an empty line ends a sentence"),
        (row("x", "a", 0), 1, "ID", "numbered 'x', expected 1"),
        ("\n" + row(1, "a", "_"), 2, "HEAD", "there is no head"),
        (row(1, "a", "-1"), 1, "HEAD", "'-1' is no number"),
        (row(1, "a", "²"), 1, "HEAD", "'²' is no number"),
        (row(1, "a", 0) + row(2, "b", 3), 2, "HEAD", "is token 3, but the sentence has 2"),
        (row("1-2", "a", "_"), 1, None, "no token of its own"),
    ],
)
def test_what_is_no_tree(text, line, field, part) -> None:
    with pytest.raises(ImportFormatError, match=part) as caught:
        read_sentences(text, "p.conllu")
    assert (caught.value.path, caught.value.line, caught.value.field) == ("p.conllu", line, field)


def test_one_sentence_is_one() -> None:
    with pytest.raises(ImportFormatError, match="second sentence") as caught:
        read_sentence(row(1, "a", 0) + "\n" + row(1, "b", 0))
    assert caught.value.line == 3
