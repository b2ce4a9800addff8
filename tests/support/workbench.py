"""Pages of the workbench run without a browser, for some work."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from epsilens.app.uploads import DEMO_ROLES, demo
from epsilens.app.work import Work


def demo_work(rows: int = 500, **sections: dict[str, Any]) -> Work:
    """The demo population, held in memory, with its roles and whatever else is said."""
    work = Work(uploaded=demo(rows))
    assert work.uploaded is not None
    work.change("data", source=work.uploaded.name, **DEMO_ROLES)
    for name, values in sections.items():
        work.change(name, **values)
    return work


def _run(page: str, work: object) -> None:
    from importlib import import_module

    import_module(f"epsilens.app.pages.{page}").page(work)


def opened(page: str, work: Work) -> AppTest:
    """A page of the workbench, drawn once."""
    app = AppTest.from_function(_run, kwargs={"page": page, "work": work}, default_timeout=20)
    app.run()
    assert not app.exception, app.exception
    return app


def said(app: AppTest) -> str:
    """All texts of a page, without the signs that keep Markdown from reading them."""
    kinds = ("header", "subheader", "markdown", "info", "warning", "error", "success")
    found = [str(element.value) for kind in kinds for element in app.get(kind)]
    found += [element.proto.body.rpartition("</style>")[2] for element in app.get("html")]
    return "\n".join(found).replace("\\", "")
