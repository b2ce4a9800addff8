"""What may be asked, and the answers: for every command a question, checked before any data is read, and its answer.

A question is frozen and built from plain values. Whoever asks, a command, a page or a report, builds one, calls
``answer`` and shows the answer's ``to_dict()`` or the words and charts of ``report`` for it.
"""
