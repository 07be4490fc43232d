"""The storage contract: what SQLite and PostgreSQL have to give, so that nobody above asks which.

A store gives the same answers on both, to the byte. `tests/test_store_contract` holds each line.

Transactions
    Writers wait for one another, as long as others come and go: no change meets another half done,
    and none has to be tried again. A change is written whole or not at all. Readers wait for
    nobody and see one state from beginning to end.
Revision
    The largest id of the audit trail. It only grows; a change that was rolled back may leave a gap.
Ids
    Are given once. The id of a deleted row never comes to mean another row, not in a copy either.
Text
    Any length, any character, U+0000 too; half a character (a surrogate) is refused. Compared
    and sorted by code point, and `lower` changes A to Z only, whatever the server's language is.
Numbers
    Whole ones from -2**63 to 2**63 - 1. Broken ones are IEEE doubles, bit for bit; NaN becomes
    NULL, and -0.0 becomes 0.0. In vectors both stay.
Bytes
    As they were given, up to 1 GB.
Times
    ISO text in UTC with microseconds; they sort as text.
JSON
    The text that `json.dumps` writes, unchanged: not the order of keys, nor NaN, is lost.
References
    Hold at every commit; what belongs to a deleted row goes with it where the table says so.
Errors
    Come as `StoreError`, in words, without a password. A server that is away is an
    `UnreachableError`; when it is back, the next question is answered. Who finds no connection left
    asks again for a while; whose turn to write does not come in time gets a `BusyError`.
"""
