import marimo

app = marimo.App(width="medium", app_title="An epsilon for a table")


@app.cell
def _():
    import marimo as mo

    return (mo,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # An epsilon for a table

    From a table of people to a budget: who is disclosed today, what noise changes, which epsilon keeps a ceiling, and
    what it costs. The people are synthetic; nobody is real. Change a number and everything below follows.
    """)
    return


@app.cell
def _():
    import epsilens as el
    from epsilens.table.demo.population import population

    people = population(20_000, seed=2026)
    schema = el.Schema(quasi_identifiers=["block_group", "age", "sex", "race"], sensitive="disease", bins={"age": 10})
    table = el.read_table(people, schema).with_harm("disease=cancer")
    table
    return el, table


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Today

    A cell is everybody with the same quasi-identifiers. A cell in which all have the same disease gives it away, and
    nobody has to be identified for that. Only cancer counts as harm here.
    """)
    return


@app.cell
def _(el, table):
    found = el.assess(table, epsilon=[0.1, 1, 5])
    found
    return


@app.cell
def _(el, table):
    shown = {
        name: [(value.value, round(value.shown_right, 5), round(value.shown_wrong, 5)) for value in values]
        for name, values in (
            ("epsilon = 1", el.homogeneity.shown_by_value(table, el.LaplaceNoise(1.0))),
            ("epsilon = 5", el.homogeneity.shown_by_value(table, el.LaplaceNoise(0.2))),
        )
    }
    shown
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Every budget at once

    The risk is exact at every budget: no simulation. The average says little about whoever is worst off, so both are
    drawn.
    """)
    return


@app.cell
def _(el, table):
    import altair as alt

    budgets = el.PureDP.grid(1e-2, 10, 61)
    curve = el.risk_curve(table, mechanism="laplace", budgets=budgets).to_pandas()
    chart = (
        alt.Chart(curve)
        .transform_fold(["risk", "worst"], as_=["which", "value"])
        .mark_line()
        .encode(
            x=alt.X("epsilon:Q", scale=alt.Scale(type="log"), title="epsilon, log scale"),
            y=alt.Y("value:Q", title="chance of being shown as ill, rightly"),
            color=alt.Color("which:N", title=None),
        )
        .properties(width=520, height=260, title="On average, and for the worst-off person")
    )
    chart
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## A ceiling, a budget, a price

    Nobody's chance of being shown as ill may be above 20 of 100. The answer is a set of safe budgets; its upper end
    is the cheapest. The price is how far a count is off.
    """)
    return


@app.cell
def _(el, table):
    choice = el.choose_budget(table, mechanism="laplace", max_risk=0.2, max_people=0)
    choice
    return (choice,)


@app.cell
def _(choice, el):
    noise = el.calibrate("laplace", el.PureDP(choice.budget))
    error = el.utility.expected_absolute_error(noise, rounded=True)
    f"epsilon = {choice.budget:.4f}: a count is off by {error:.2f} people on average"
    return


if __name__ == "__main__":
    app.run()
