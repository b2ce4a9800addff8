"""The chart of an assessment: risk against epsilon, against delta, or over both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.choice.curve import RiskCurve
from epsilens.choice.questions.assessment import Assessment, AttributeToday, BudgetLine
from epsilens.report.charts.beside_average import once, panels_below
from epsilens.report.charts.common import Chart, coloured, inline, log_ticks, series, styled, subtitle_lines
from epsilens.report.charts.surface import surface_panel
from epsilens.report.words.falling import reason
from epsilens.report.words.values import harm_notes

WIDTH, HEIGHT = 520, 320
BESIDE = WIDTH + 50
"""Where the risks without noise stand: to the right of all budgets."""
ASIDE = 1.07
"""By which factor whiskers stand to the right of their dots, and those of the next line of the former's."""
SIMULATED = ("local", "hard", "soft")
"""Measures that a simulation counts."""


def risk_curve_chart(curves: Sequence[tuple[str, RiskCurve]], assessment: Assessment) -> Chart:
    """Risk against epsilon, or delta, on a log axis: a line per noise, measure or average, a panel per attribute.

    A noise is a mechanism with its delta (with its epsilon, along delta). Where noises and measures both vary, every
    measure has its own panel; where averages vary as well, those over people and over cells stand side by side. Dots
    mark the budgets of the assessment, whiskers the simulated mean and its standard deviation, diamonds the knees; at
    the right stands what each measure has without noise.
    """
    import altair as alt

    question = assessment.question
    drawing = _Drawing(curves, assessment)
    if question.axis == "both":
        panels = [
            alt.hconcat(*[surface_panel(curve, name, assessment) for curve in row]) for name, row in drawing.surfaces()
        ]
        return styled(alt.vconcat(*panels) if len(panels) > 1 else panels[0])
    apart = len(question.measures) > 1 and len(drawing.noises) > 1
    groups = [(measure,) for measure in question.measures] if apart else [tuple(question.measures)]
    aside = len(question.weightings) > 1 and (len(question.measures) > 1 or len(drawing.noises) > 1)
    averages = [(average,) for average in question.weightings] if aside else [tuple(question.weightings)]
    rows = []
    for attribute in assessment.today:
        for measures in groups:
            panels = [drawing.panel(attribute, measures, over) for over in averages]
            rows.append(alt.hconcat(*panels, spacing=40) if len(panels) > 1 else panels[0])
    figure = alt.vconcat(*rows) if len(rows) > 1 else rows[0]
    return styled(figure).configure_legend(
        offset=75, labelFontSize=12, labelLimit=300, symbolLimit=0, columns=1 + len(drawing.noises) // 19
    )


@dataclass(frozen=True, eq=False)
class _Drawing:
    """What the panels of a figure have in common."""

    curves: Sequence[tuple[str, RiskCurve]]
    assessment: Assessment

    @property
    def axis(self) -> str:
        return self.assessment.question.axis

    @property
    def fixed(self) -> str:
        """The parameter that a curve does not run along."""
        return "delta" if self.axis == "epsilon" else "epsilon"

    @property
    def noises(self) -> list[str]:
        """The names of all noises that have a curve, in the order asked for."""
        return list(dict.fromkeys(self.noise(c.mechanism, vars(c.budgets[0])) for _, c in self.curves if c.budgets))

    def noise(self, mechanism: str, budget: dict[str, float]) -> str:
        """The mechanism, its fixed parameter, or both: whatever varies."""
        question = self.assessment.question
        fixed = budget.get(self.fixed)
        several = len(question.deltas if self.fixed == "delta" else self._fixed_epsilons()) > 1
        if fixed is None or not several:
            return mechanism
        return f"{fixed:g}" if len(question.mechanisms) == 1 else f"{mechanism}, {self.fixed} = {fixed:g}"

    def _fixed_epsilons(self) -> set[float]:
        return {float(vars(curve.budgets[0])["epsilon"]) for _, curve in self.curves if curve.budgets}

    def surfaces(self) -> list[tuple[str, list[RiskCurve]]]:
        """(attribute, the surfaces that stand side by side): one per average, a row for each mechanism and measure."""
        wide = len(self.assessment.question.weightings)
        return [
            (self.curves[i][0], [curve for _, curve in self.curves[i : i + wide]])
            for i in range(0, len(self.curves), wide)
        ]

    def panel(self, attribute: AttributeToday, measures: tuple[str, ...], averages: tuple[str, ...]) -> Chart:
        import altair as alt

        mine = self._mine(attribute, measures, averages)
        field, names, title = self._series(measures, averages)
        lines = [
            row | {"noise": self.noise(curve.mechanism, row), "average": self._whom(_average(curve))}
            for curve in mine
            for row in curve.to_rows()
        ]
        marks = [
            self._mark(line, measure, average) | {"risk": line.averages[average][measure]}
            for line in self.assessment.lines
            if line.sensitive == attribute.sensitive
            for measure in measures
            for average in averages
        ]
        unprotected = self._unprotected(mine, measures)
        low, high = (pick(float(line[self.axis]) for line in lines) for pick in (min, max))
        marks = [mark for mark in marks if low <= mark[self.axis] <= high]
        x = alt.X(f"{self.axis}:Q", title=f"{self.axis}, log scale").scale(type="log", nice=False, domain=[low, high])
        form = ".0e" if self.axis == "delta" and low < 1e-3 else "~g"
        whom = f" over {self._whom(averages[0])}" if len(averages) == 1 else ""
        y = alt.Y("risk:Q", title=f"risk, average{whom}")
        place: dict[str, Any] = {
            "x": x.axis(format=form, values=log_ticks(low, high), grid=False),
            "y": y.scale(domain=[0, self._top(attribute, measures)]).axis(format="~%", tickCount=6),
        }
        curve = alt.Chart(inline(lines)).mark_line(strokeWidth=2.5)
        points = alt.Chart(inline(marks)).mark_point(size=45, filled=True, opacity=1)
        own = coloured(field, names) if field in ("measure", "average") else alt.value("#333333")
        beside = alt.Chart(inline(unprotected)).mark_point(filled=False, strokeWidth=2, opacity=1)
        caption = alt.Chart(inline([{"text": "without noise"}])).mark_text(fontSize=12, baseline="top")
        ring = alt.Size("ring:Q", scale=None, legend=None)
        layers = [
            curve.encode(**place, **series(field, names, title)),
            points.encode(**place, color=coloured(field, names)),
            beside.encode(x=alt.value(BESIDE), y=place["y"], color=own, size=ring),
            caption.encode(x=alt.value(BESIDE), y=alt.value(HEIGHT + 7), text="text:N"),
            *self._whiskers(attribute, measures, averages, place, coloured(field, names)),
            *self._knees(attribute, measures, averages, place, coloured(field, names)),
        ]
        said = self._title(attribute, measures, averages)
        figure = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=said)
        below = self._below(mine, field, names, place["x"])
        return alt.vconcat(figure, *below, spacing=12) if below else figure

    def _mine(self, attribute: AttributeToday, measures: tuple[str, ...], averages: tuple[str, ...]) -> list[RiskCurve]:
        """The curves of one panel."""
        return [
            curve
            for name, curve in self.curves
            if name == attribute.sensitive and curve.measure in measures and _average(curve) in averages
        ]

    def _below(self, mine: list[RiskCurve], field: str, names: list[str], x: Any) -> list[Chart]:
        """The worst-off person and the share of people above 50 %, in the colours of the curves."""
        import altair as alt

        rows = [
            row | {"noise": self.noise(curve.mechanism, row), "average": self._whom(_average(curve))}
            for curve in once(mine)
            for row in curve.to_rows()
        ]
        looks: dict[str, Any] = {"color": alt.value("#333333")}
        if field != "average":
            looks = {name: look.legend(None) for name, look in series(field, names, None).items()}
        bare = x.copy().axis(labels=False, ticks=False, title=None, grid=False)
        return panels_below(rows, bare, looks, WIDTH, self.assessment.whom)

    def _top(self, attribute: AttributeToday, measures: tuple[str, ...]) -> float:
        """Where the axis of risks ends: the same for panels that stand side by side."""
        shown = [
            max(float(curve.risks.max()), curve.unprotected or 0.0)
            for name, curve in self.curves
            if name == attribute.sensitive and curve.measure in measures
        ]
        highest = max(shown)  # above 1 where a harm counts more than once, 0 where nobody has a harmful value
        return 1.05 * highest if highest > 1.0 else min(1.0, 1.15 * highest) or 1.0

    def _series(self, measures: tuple[str, ...], averages: tuple[str, ...]) -> tuple[str, list[str], str]:
        """What tells the lines of a panel apart: its field, its names, and the title of the legend."""
        question = self.assessment.question
        if len(self.noises) == 1:
            if len(measures) == 1 and len(averages) > 1:
                return "average", [self._whom(average) for average in averages], "average over"
            return "measure", list(measures), "measure"
        if self.noises == list(question.mechanisms):
            return "mechanism", self.noises, "mechanism"
        return "noise", self.noises, self.fixed if len(question.mechanisms) == 1 else "noise"

    def _whom(self, average: str) -> str:
        return self.assessment.whom if average == "people" else average

    def _mark(self, line: BudgetLine, measure: str, average: str) -> dict[str, Any]:
        return {
            "mechanism": line.mechanism,
            "measure": measure,
            "noise": self.noise(line.mechanism, vars(line.budget)),
            "average": self._whom(average),
            **vars(line.budget),
        }

    def _unprotected(self, mine: list[RiskCurve], measures: tuple[str, ...]) -> list[dict[str, Any]]:
        """One risk without noise per measure and average; rings of different sizes, so that none hides another."""
        rings = {measure: 40 + 200 * (1 - (k + 1) / len(measures)) for k, measure in enumerate(measures)}
        once = {(curve.measure, curve.weighted): curve for curve in reversed(mine)}  # whichever noise is not added
        return [
            {
                "measure": curve.measure,
                "mechanism": curve.mechanism,
                "average": self._whom(_average(curve)),
                "risk": curve.unprotected,
                "ring": rings[curve.measure],
            }
            for curve in reversed(once.values())
        ]

    def _whiskers(
        self,
        attribute: AttributeToday,
        measures: tuple[str, ...],
        averages: tuple[str, ...],
        place: dict[str, Any],
        colour: Any,
    ) -> list[Chart]:
        """The simulated mean, and one standard deviation between releases to either side."""
        import altair as alt

        question = self.assessment.question
        field, names, _ = self._series(measures, averages)
        rows: list[dict[str, Any]] = []
        for line in self.assessment.lines:
            for measure in measures:
                for average in averages:
                    if line.sensitive != attribute.sensitive or measure not in SIMULATED or not line.simulations:
                        continue
                    statistic = "local-share" if measure == "local" and question.match == "share" else measure
                    mean, sd, _ = line.simulations[average][statistic]
                    ends = {"risk": mean, "low": max(0.0, mean - sd), "high": mean + sd}
                    mark = self._mark(line, measure, average)
                    mark[self.axis] *= ASIDE ** (1 + names.index(mark[field]))
                    rows.append(mark | ends)
        if not rows:
            return []
        data = alt.Chart(inline(rows))
        spread = data.mark_rule(strokeWidth=1.5).encode(x=place["x"], y=alt.Y("low:Q"), y2="high:Q", color=colour)
        ticks = [
            data.mark_tick(orient="horizontal", size=11, thickness=1.5).encode(
                x=place["x"], y=alt.Y(f"{end}:Q"), color=colour
            )
            for end in ("low", "high")
        ]
        mean = data.mark_point(shape="cross", size=60, filled=False, strokeWidth=1.5, opacity=1)
        return [spread, *ticks, mean.encode(x=place["x"], y=place["y"], color=colour)]

    def _knees(
        self,
        attribute: AttributeToday,
        measures: tuple[str, ...],
        averages: tuple[str, ...],
        place: dict[str, Any],
        colour: Any,
    ) -> list[Chart]:
        """A diamond on every curve where it starts to rise faster."""
        import altair as alt

        rows = [
            {
                "mechanism": line.mechanism,
                "measure": line.measure,
                "noise": self.noise(line.mechanism, {} if line.delta is None else {"delta": line.delta}),
                "average": self._whom(line.average),
                "epsilon": line.knee.epsilon,
                "risk": line.knee.risk,
            }
            for line in self.assessment.knees
            if line.sensitive == attribute.sensitive and line.measure in measures and line.average in averages
            if line.knee.epsilon is not None
        ]
        if not rows:
            return []
        data = alt.Chart(inline(rows))
        diamond = data.mark_point(shape="diamond", size=170, filled=True, fill="white", strokeWidth=2, opacity=1)
        return [diamond.encode(**place, stroke=colour)]

    def _lines(self, attribute: AttributeToday) -> list[BudgetLine]:
        return [line for line in self.assessment.lines if line.sensitive == attribute.sensitive]

    def _title(self, attribute: AttributeToday, measures: tuple[str, ...], averages: tuple[str, ...]) -> Any:
        import altair as alt

        question = self.assessment.question
        deltas = ", ".join(f"{delta:g}" for delta in question.deltas)
        delta = f", delta = {deltas}" if question.deltas and self.axis == "epsilon" else ""
        which = f"{measures[0]} measure" if len(measures) == 1 else f"{len(measures)} measures"
        published = next((line.published for line in self._lines(attribute)), None)
        where = {None: "", "joint": ", in one joint table", "separate": ", in separate tables"}[published]
        noise = f"{which}; {', '.join(question.mechanisms)} noise{delta}{where}"
        if self.axis == "delta" and len(fixed := self._fixed_epsilons()) == 1:
            noise += f", epsilon = {next(iter(fixed)):g}"
        if len(question.weightings) > 1 and len(averages) == 1:
            noise += f"; over {self._whom(averages[0])}"
        marked = [note.text[0].lower() + note.text[1:].rstrip(".") for note in harm_notes(self._lines(attribute))]
        if question.repeats and any(measure in SIMULATED for measure in measures):
            marked.append(f"whiskers: mean and SD of {question.repeats:,} simulated releases")
        if self.assessment.knees:
            marked.append("diamonds: where the risk starts to rise faster")
        if self.axis == "epsilon":
            marked += _falling(self._mine(attribute, measures, averages))
        said = f"{noise}{''.join(f'; {text}' for text in marked)}. Internal."
        against = " against delta" if self.axis == "delta" else ""
        return alt.Title(f"Homogeneity risk of {attribute.sensitive}{against}", subtitle=subtitle_lines(said))


def _falling(curves: Sequence[RiskCurve]) -> list[str]:
    """Why risks fall where they do, once."""
    why = dict.fromkeys(reason(curve.measure) for curve in curves if curve.falls is not None)
    return [f"where a risk falls as epsilon grows, {text}" for text in why]


def _average(curve: RiskCurve) -> str:
    return "people" if curve.weighted else "cells"
