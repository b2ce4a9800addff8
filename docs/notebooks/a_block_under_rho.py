import marimo

app = marimo.App(width="medium", app_title="A block under rho")


@app.cell
def _():
    import marimo as mo

    return (mo,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # A block under rho

    Somebody knows everybody in a census block but one person, and sees the block's noisy count, that of its block group
    and so on. What do they conclude about that person? All numbers are exact sums; nothing is simulated.
    """)
    return


@app.cell
def _():
    import epsilens as el

    rho = [0.099226, 0.246485]  # block and block group in 2020
    return el, rho


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## The block alone

    Before looking, the attacker gives an even chance that the person is there. After looking at a published count it is
    another one, and on average over the noise it is hardly more than even.
    """)
    return


@app.cell
def _(el, rho):
    seen = {
        noisy: round(el.posterior.single_level(noisy=noisy, known=0, rho=rho[0]).posterior, 3) for noisy in range(-3, 5)
    }
    seen
    return


@app.cell
def _(el, rho):
    average = el.posterior.expected_single_level(rho=rho[0], prior=0.5)
    average
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## With the block group

    Twenty-seven sibling blocks hold nobody of this kind. The published count of the group is then about the same
    person, and what it tells depends on who else the attacker thinks may be in the siblings.
    """)
    return


@app.cell
def _(el, rho):
    together = el.posterior.expected_two_level(parent=1, siblings=27, rho=tuple(rho), prior=0.5)
    together
    return


@app.cell
def _(el, rho):
    unique = el.posterior.expected_unique_at_levels(rho=rho, prior=0.5)
    unique
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Which rho?

    The average posterior over rho, for people whom the attacker thinks likely, and unlikely, to be there.
    """)
    return


@app.cell
def _(el):
    import altair as alt

    points = [
        {
            "rho": r,
            "prior": f"prior {prior:g}",
            "risk ratio": el.posterior.expected_single_level(rho=r, prior=prior).risk_ratio,
        }
        for prior in (0.5, 0.2, 0.1)
        for r in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
    ]
    chart = (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=True)
        .encode(
            x=alt.X("rho:Q", scale=alt.Scale(type="log"), title="rho, log scale"),
            y=alt.Y("risk ratio:Q", title="posterior / prior, on average"),
            color=alt.Color("prior:N", title=None),
        )
        .properties(width=520, height=260)
    )
    chart
    return


if __name__ == "__main__":
    app.run()
