"use strict";
/* Draws the charts of a page. Nothing is fetched; formulas in charts are interpreted, never evaluated as code. */
(function () {
  const INK = 0.9;
  const both = window.CSS && CSS.supports("color", "light-dark(#000000, #ffffff)");

  function parts(colour) {
    const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
    if (found) return found.slice(1).map((part) => parseInt(part, 16));
    const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour);
    if (short) return short.slice(1).map((part) => parseInt(part + part, 16));
    const rgb = /^rgb\((\d+), ?(\d+), ?(\d+)\)$/.exec(colour);
    if (rgb) return rgb.slice(1).map(Number);
    return { black: [0, 0, 0], gray: [136, 136, 136], grey: [136, 136, 136] }[colour] || null;
  }

  function light(rgb) {
    const linear = rgb.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }

  /* On a dark ground grey is turned round, and a colour that is too dark to be seen gets lighter. */
  function onDark(colour, isText) {
    let rgb = parts(colour);
    if (!rgb) return null;
    if (rgb[0] === rgb[1] && rgb[1] === rgb[2]) {
      const turned = Math.round(255 * INK - rgb[0] * (INK - 0.1));
      return "rgb(" + [turned, turned, turned].join(", ") + ")";
    }
    const wanted = (isText ? 4.5 : 3) * (0.0105 + 0.05) - 0.05;
    for (let i = 0; i < 12 && light(rgb) < wanted; i += 1) {
      rgb = rgb.map((part) => Math.round(part + 0.15 * (255 - part)));
    }
    return "rgb(" + rgb.join(", ") + ")";
  }

  function forBothGrounds(drawing) {
    if (!both) return;
    drawing.querySelectorAll("[fill], [stroke]").forEach((mark) => {
      for (const name of ["fill", "stroke"]) {
        const colour = mark.getAttribute(name);
        const other = colour && onDark(colour, mark.tagName === "text");
        if (other) mark.setAttribute(name, "light-dark(" + colour + ", " + other + ")");
      }
    });
  }

  function saved(view, name) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "save";
    button.textContent = "Save as SVG";
    button.addEventListener("click", async () => {
      const link = document.createElement("a");
      link.href = await view.toImageURL("svg");
      link.download = name + ".svg";
      link.click();
    });
    return button;
  }

  async function draw(drawing) {
    const specification = JSON.parse(document.getElementById(drawing.dataset.chart).textContent);
    const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, logLevel: 1 };
    try {
      const made = await window.vegaEmbed(drawing, specification, options);
      forBothGrounds(drawing);
      drawing.after(saved(made.view, drawing.dataset.chart));
    } catch (problem) {
      drawing.textContent = "This chart could not be drawn; its numbers are in the table below.";
    }
  }

  /* Vega-Lite remarks on legends that layers share, which is as it should be. */
  async function all() {
    const warn = console.warn;
    console.warn = () => undefined;
    for (const drawing of document.querySelectorAll("[data-chart]")) await draw(drawing);
    console.warn = warn;
    document.documentElement.dataset.drawn = "yes";
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", all);
  else all();
})();
