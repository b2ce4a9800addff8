"""Releases of statistics at every limit that a single person may cross."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.support.neighbours import Star, beside

HEADER = "who,a,b,s,g"
EVERY_KIND = (
    "mean a=0:10",
    "variance a=0:10",
    "covariance a=0:10,b=-1:1",
    "covariance-matrix a=0:10,b=-1:1",
    "proportion s=f",
    "proportions s=f|m",
    "pooled-variance a=0:10 by g=p|q",
    "pooled-covariance a=0:10,b=-1:1 by g=p|q",
)
ODD = {
    "ordinary": "9,5,0.5,f,p",
    "at the bounds": "9,10,-1,m,q",
    "beyond the bounds": "9,1000,-7,m,q",
    "no number": "9,old,0,f,p",
    "missing number": "9,,0,f,p",
    "infinite": "9,1e99999,0,f,p",
    "undeclared level": "9,5,0,x,p",
    "missing level": "9,5,0,,p",
    "undeclared group": "9,5,0,f,r",
    "missing group": "9,5,0,m,",
    "missing altogether": ",,,,",
}
PEOPLE = [f"{i},{i % 11},{(i % 5) / 5},{'fm'[i % 2]},{'pq'[i % 3 > 0]}" for i in range(24)]


def statistics() -> list[Star]:
    """Every star of statistics."""
    far, few = {name: ODD[name] for name in ("ordinary", "no number", "undeclared level")}, dict(list(ODD.items())[2:5])
    gaps = {name: row for name, row in ODD.items() if name.startswith("missing")}
    unit = ("--unit", "who")
    small = ["1,1,0,f,p", "2,2,0,m,p", "3,3,0,f,q", "4,4,0,m,q"]
    return [
        _star("every kind", PEOPLE, ODD, "--n", "20"),
        _star("every kind, fewer than n", PEOPLE, few, "--n", "24"),
        _star("every kind, nobody", [], few, "--n", "8"),
        _star("every kind, one person", PEOPLE[:1], few, "--n", "8"),
        _star("every kind, nobody fits", ["1,old,,x,r"] * 3, few, "--n", "8"),
        _star("every kind, substitute", PEOPLE, ODD, "--neighbours", "substitute"),
        _star("every kind, substitute, n declared", PEOPLE, few, "--neighbours", "substitute", "--n", "24"),
        _star("every kind, unbounded", PEOPLE, far, "--n", "20", "--bounding", "none"),
        _star("truncated", PEOPLE, few, "--n", "20", "--bounding", "truncated", kinds=EVERY_KIND[:3]),
        _star("public values in place", PEOPLE, gaps, "--n", "20", "--missing", "a=5", "--missing", "s=f"),
        _star("left out by request", PEOPLE, far, "--n", "20", "--missing", "exclude"),
        _star("conditions on rows", PEOPLE, few, "--n", "20", "--where", "a<=5", "--where", "s!=", "--missing", "drop"),
        _star("shares rescaled", PEOPLE, few, "--n", "20", "--adding-up", "rescale", kinds=EVERY_KIND[5:6]),
        _star(
            "shares rescaled, substitute", PEOPLE, few, "--neighbours", "substitute", "--adding-up", "rescale",
            kinds=EVERY_KIND[5:6],
        ),
        *(_groups(small, size) for size in (0, 1, 2)),
        _star("several rows", PEOPLE, _of_people(), "--n", "20", *unit, "--max-rows", "2", kinds=EVERY_KIND[:6]),
        _star("several rows, one kept", PEOPLE, _of_people(), "--n", "20", *unit),
        _star("levels of bins", PEOPLE, few, "--n", "20", "--bins", "a=3|7", kinds=("proportions a=< 3|[3, 7)",)),
    ]  # fmt: skip


def _groups(small: Sequence[str], size: int) -> Star:
    """A group with so many records, and what one person makes of it."""
    base = [*small[:2], *["5,6,0,m,q"] * size]
    odd = {"of the group": "9,9,1,f,q", "of the other": "9,9,1,f,p", "of none": "9,9,1,f,"}
    return _star(f"a group of {size}", base, odd, "--n", "4", kinds=EVERY_KIND[6:])


def _of_people() -> Mapping[str, str]:
    return {
        "another person": "99,5,0,f,p",
        "a second row": "3,9,1,m,q",
        "of nobody": ",5,0,f,p",
        "a second row, no number": "3,old,0,f,p",
    }


def _star(
    name: str, base: Sequence[str], odd: Mapping[str, str], *more: str, kinds: Sequence[str] = EVERY_KIND
) -> Star:
    wanted = [part for kind in kinds for part in ("-s", kind)]
    person = () if "--unit" in more else ("--one-row-per-person",)
    command = ("release-statistics", *wanted, *person, "--epsilon", "1", "--total-epsilon", "4", *more)
    return Star(f"statistics, {name}", HEADER, base, beside(base, odd, "substitute" in more), command)
