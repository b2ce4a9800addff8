"""What five papers printed, beside what is true: every number, formula and statement that the code can speak to.

A claim is what print says and how to compute it, by print's own recipe and exactly. A verdict is computed from these
(``verdicts.py``), never typed. The claims of a paper are in the folder of its name, in the order of its pages.
"""
