import marimo

app = marimo.App(width="medium", app_title="Legacy methods or noise")


@app.cell
def _():
    import marimo as mo

    return (mo,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Legacy methods or noise

    Suppression, rounding, swapping and k-anonymity against noisy counts, on the same synthetic table. The attack is the
    same for all: a cell that shows a single value gives it away.
    """)
    return


@app.cell
def _():
    import epsilens as el
    from epsilens.table.demo.population import population

    people = population(3_000, seed=2026)
    schema = el.Schema(quasi_identifiers=["age", "sex", "race"], sensitive="disease", bins={"age": 20})
    table = el.read_table(people, schema)
    table
    return el, table


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Side by side

    At epsilon = 1 where a system has one. What has a law is exact; the rest is drawn, with a standard error.
    """)
    return


@app.cell
def _(el, table):
    compared = el.compare(
        table,
        systems=["laplace", "discrete-gaussian", "suppression", "rounding", "swapping", "k-anonymity"],
        epsilons=[1.0],
        repetitions=40,
        classify=False,
    )
    compared
    return (compared,)


@app.cell
def _(compared):
    frame = compared.to_pandas()
    frame[["system", "homogeneity_risk", "l1_error", "bias_l1"]].round(3)
    return (frame,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Error against risk

    Whoever is further left and further down is better on both. Without epsilon there is no guarantee against attacks
    that nobody has thought of yet, which no chart of one attack can show.
    """)
    return


@app.cell
def _(frame):
    import altair as alt

    chart = (
        alt.Chart(frame)
        .mark_point(filled=True, size=90)
        .encode(
            x=alt.X("l1_error:Q", title="sum of absolute errors of all counts"),
            y=alt.Y("homogeneity_risk:Q", title="share of people shown rightly"),
            color=alt.Color("system:N", title=None),
        )
        .properties(width=520, height=280)
    )
    chart
    return


if __name__ == "__main__":
    app.run()
