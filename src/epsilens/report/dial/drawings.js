/* What the dial is drawn with: elements, arrays of 100 icons, the strip of 20 dots, and the curve.
 *
 * Elements are made once, and anew only where the width changes; a move changes texts and attributes. No markup is made
 * of data.
 */
(function (scope) {
  "use strict";

  var SVG = "http://www.w3.org/2000/svg";

  function element(name, attributes, children) {
    return filled(document.createElement(name), attributes, children);
  }

  function drawn(name, attributes, children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
  }

  function filled(node, attributes, children) {
    Object.keys(attributes || {}).forEach(function (key) {
      var value = attributes[key];
      if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    });
    (Array.isArray(children) ? children : children === undefined ? [] : [children]).forEach(function (child) {
      if (child !== null) node.append(child);
    });
    return node;
  }

  function say(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  function set(node, name, value) {
    value = String(value);
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }

  function show(node, visible) {
    if (node.hidden === visible) node.hidden = !visible;
  }

  function template(text, values) {
    return text.replace(/\{(\w+)\}/g, function (whole, name) {
      return name in values ? values[name] : whole;
    });
  }

  function nearest(budgets, wanted) {
    var best = 0;
    for (var i = 1; i < budgets.length; i += 1) {
      if (Math.sqrt(budgets[i - 1]) * Math.sqrt(budgets[i]) < wanted) best = i;
    }
    return best;
  }

  function heading(level, text, internal) {
    var node = element("h" + level, { class: "ed-title" }, text);
    if (internal) node.append(" ", element("strong", { class: "ed-internal" }, internal));
    return node;
  }

  /* ------------------------------------------------------------------ icons */

  function IconArray(kind) {
    var self = this;
    this.icons = [];
    this.ghost = drawn("path", { class: "ed-ghost-line", d: "" });
    this.node = drawn("svg", { class: "ed-icons " + kind, viewBox: "-1 -1 102 102", "aria-hidden": "true" });
    for (var i = 0; i < 100; i += 1) {
      var icon = drawn("rect", { x: (i % 10) * 10 + 1, y: Math.floor(i / 10) * 10 + 1, width: 8, height: 8, rx: 1.2 });
      self.icons.push(icon);
      self.node.append(icon);
    }
    this.node.append(this.ghost);
  }

  /* parts: [[how many, outlined, class], ...], filled one after the other from the upper left corner */
  IconArray.prototype.fill = function (parts) {
    var i = 0;
    for (var part = 0; part < parts.length; part += 1) {
      var last = Math.min(100, i + parts[part][0]);
      for (; i < last; i += 1) this.paint(i, parts[part][2]);
      last = Math.min(100, i + parts[part][1]);
      for (; i < last; i += 1) this.paint(i, parts[part][2] + " ed-trace");
    }
    for (; i < 100; i += 1) this.paint(i, "ed-rest");
  };

  IconArray.prototype.paint = function (i, name) {
    set(this.icons[i], "class", name);
    set(this.icons[i], "rx", name.indexOf("ed-wrong") === 0 ? 4 : 1.2);
  };

  IconArray.prototype.pin = function (count) {
    if (count === null) return set(this.ghost, "d", "");
    var rows = Math.floor(count / 10), rest = count % 10;
    var end = rest ? "V" + 10 * rows + "H" + 10 * rest + "V" + 10 * (rows + 1) + "H0" : "V" + 10 * rows + "H0";
    return set(this.ghost, "d", count ? "M0 0H" + (rows ? 100 : 10 * rest) + end + "Z" : "M0 0V10");
  };

  /* ------------------------------------------------------------------ the strip of dots */

  function Strip(words) {
    this.words = words;
    this.node = drawn("svg", { class: "ed-strip", role: "img" });
    this.title = drawn("title");
    this.dots = [];
    this.ghosts = [];
    this.width = 0;
  }

  Strip.prototype.resize = function (width) {
    if (Math.abs(width - this.width) < 2) return false;
    this.width = width;
    this.node.replaceChildren();
    this.axis = drawn("line", { class: "ed-axis", x1: 8, x2: width - 8, y1: 92, y2: 92 });
    this.middle = drawn("line", { class: "ed-count", x1: width / 2, x2: width / 2, y1: 6, y2: 98 });
    this.span = drawn("path", { class: "ed-span" });
    this.ghostSpan = drawn("path", { class: "ed-span ed-ghost-line" });
    this.labels = [-1, -0.5, 0, 0.5, 1].map(function () {
      return drawn("text", { class: "ed-tick", y: 108, "text-anchor": "middle" });
    });
    this.dots = [];
    this.ghosts = [];
    for (var i = 0; i < 20; i += 1) {
      this.dots.push(drawn("circle", { class: "ed-dot", r: 4.4 }));
      this.ghosts.push(drawn("circle", { class: "ed-dot ed-ghost", r: 3.4, visibility: "hidden" }));
    }
    filled(this.node, {}, [this.title, this.axis, this.middle, this.span, this.ghostSpan]
      .concat(this.labels, this.dots, this.ghosts));
    return true;
  };

  Strip.prototype.place = function (circles, values, at, unit, y, down) {
    var size = 9.6, bin = Math.max(unit, size), columns = Math.max(1, Math.floor(bin / size)), stacks = {};
    values.forEach(function (value, i) {
      var key = Math.round((at(value) - at(0)) / bin);
      stacks[key] = stacks[key] || [];
      stacks[key].push(i);
    });
    Object.keys(stacks).forEach(function (key) {
      var own = stacks[key], wide = Math.min(columns, Math.ceil(own.length / 8));
      var step = Math.min(size, 76 / Math.ceil(own.length / wide));
      own.forEach(function (i, rank) {
        var column = rank % wide, row = Math.floor(rank / wide);
        var inRow = Math.min(wide, own.length - row * wide);
        set(circles[i], "cx", (at(0) + key * bin + (column - (inRow - 1) / 2) * size).toFixed(1));
        set(circles[i], "cy", (y + (down ? 1 : -1) * row * step).toFixed(1));
      });
    });
  };

  Strip.prototype.show = function (line, pinned) {
    if (!this.width) return;
    var most = Math.max(line.half_width, line.dots[19] - line.count);
    if (pinned) most = Math.max(most, pinned.half_width, pinned.dots[19] - pinned.count);
    set(this.node, "viewBox", "0 0 " + this.width + (pinned ? " 224" : " 128"));
    var reach = 10;
    while (reach < most) reach *= String(reach)[0] === "1" ? 3 : 10 / 3;
    reach = Math.round(reach);
    var half = this.width / 2, unit = (half - 24) / reach, count = line.count;
    var at = function (value) { return half + (value - count) * unit; };
    var zero = function (value) { return half + value * unit; };
    var shift = function (value) { return value - count; };
    this.labels.forEach(function (label, i) {
      var value = (i - 2) * reach / 2;
      set(label, "x", zero(value));
      say(label, (count + value).toLocaleString("en-US"));
    });
    this.place(this.dots, line.dots.map(shift), zero, unit, 85, false);
    set(this.span, "d", bracket(at(line.interval[0]), at(line.interval[1]), 118));
    this.ghosts.forEach(function (ghost) { set(ghost, "visibility", pinned ? "visible" : "hidden"); });
    set(this.ghostSpan, "d", pinned ? bracket(at(pinned.interval[0]), at(pinned.interval[1]), 134) : "");
    if (pinned) this.place(this.ghosts, pinned.dots.map(shift), zero, unit, 146, true);
    say(this.title, line.dots_text);
  };

  function bracket(low, high, y) {
    return "M" + low.toFixed(1) + " " + (y - 4) + "v8M" + low.toFixed(1) + " " + y + "H" + high.toFixed(1) +
      "M" + high.toFixed(1) + " " + (y - 4) + "v8";
  }

  /* ------------------------------------------------------------------ the curve */

  function Curve(payload, dial, costs) {
    this.words = payload.words;
    this.dial = dial;
    this.costs = costs;
    this.node = drawn("svg", { class: "ed-curve", role: "img" });
    this.width = 0;
  }

  Curve.prototype.resize = function (width) {
    if (Math.abs(width - this.width) < 2) return false;
    this.width = width;
    var dial = this.dial, table = dial.table, words = this.words, node = this.node;
    var budgets = dial.budgets, low = Math.log(budgets[0]), high = Math.log(budgets[budgets.length - 1]);
    var left = 46, right = width - 14, self = this;
    this.x = function (budget) {
      var share = high > low ? (Math.log(budget) - low) / (high - low) : 0.5;
      return left + Math.min(1, Math.max(0, share)) * (right - left);
    };
    var riskTop = table ? 36 : 26, riskBottom = table ? 200 : 26, errorTop = riskBottom + (table ? 52 : 0), errorBottom = errorTop + 100;
    node.replaceChildren();
    set(node, "viewBox", "0 0 " + width + " " + (errorBottom + 40));
    node.append(drawn("title", {}, table ? table.curve_text : words.error_title));
    if (table) {
      var ticks = table.risk_ticks, first = ticks[0][0], last = ticks[ticks.length - 1][0];
      this.risk = function (value) {
        return riskBottom - Math.min(1, (value - first) / (last - first || 1)) * (riskBottom - riskTop);
      };
      node.append(drawn("text", { class: "ed-plot", x: 4, y: 14 }, table.risk_title));
      table.safe.forEach(function (safe) {
        var from = self.x(Math.max(safe[0], budgets[0])), to = safe[1] === null ? right : self.x(safe[1]);
        if (to > from || safe[0] > budgets[0]) {
          node.append(drawn("rect", { class: "ed-safe", x: from, y: riskTop, width: Math.max(to - from, 1),
            height: riskBottom - riskTop }));
        }
      });
      this.axis(ticks, this.risk, left, right);
      var marks = [["ed-bare", table.without_noise, table.without_noise_text], ["ed-floor", table.floor, table.floor_text]];
      if (table.ceiling !== null) marks.push(["ed-ceiling", table.ceiling, table.ceiling_text]);
      marks.sort(function (a, b) { return b[1] - a[1]; });
      var above = -Infinity;
      marks.forEach(function (mark) {
        var y = self.risk(mark[1]), labelled = y - 4 < above + 13 ? Math.max(y + 12, above + 13) : y - 4;
        above = labelled;
        node.append(drawn("line", { class: "ed-mark " + mark[0], x1: left, x2: right, y1: y, y2: y }),
          drawn("text", { class: "ed-mark-text " + mark[0], x: right, y: labelled, "text-anchor": "end" }, mark[2]));
      });
      node.append(drawn("path", { class: "ed-line", d: path(budgets, function (budget, i) {
        return [self.x(budget), self.risk(table.lines[i].risk)];
      }) }));
    }
    var errors = dial.error_ticks, least = Math.log(errors[0][0]), most = Math.log(errors[errors.length - 1][0]);
    this.error = function (value) {
      var share = most > least ? (Math.log(Math.max(value, errors[0][0])) - least) / (most - least) : 0.5;
      return errorBottom - share * (errorBottom - errorTop);
    };
    node.append(drawn("text", { class: "ed-plot", x: 4, y: errorTop - 12 }, words.error_title));
    this.axis(errors, this.error, left, right);
    node.append(drawn("path", { class: "ed-line ed-error", d: path(budgets, function (budget, i) {
      return [self.x(budget), self.error(self.costs[i].error)];
    }) }));
    dial.ticks.forEach(function (i) {
      var x = self.x(budgets[i]);
      node.append(drawn("line", { class: "ed-axis", x1: x, x2: x, y1: errorBottom, y2: errorBottom + 4 }));
      if (width > 440 || dial.budget_texts[i].replace(/[0.]/g, "")[0] === "1") {
        node.append(drawn("text", { class: "ed-tick", x: x, y: errorBottom + 18, "text-anchor": "middle" },
          dial.budget_texts[i]));
      }
    });
    node.append(drawn("text", { class: "ed-tick", x: right, y: errorBottom + 34, "text-anchor": "end" },
      template(words.axis, dial)));
    this.pinLine = drawn("line", { class: "ed-marker ed-ghost-line", y1: riskTop, y2: errorBottom, visibility: "hidden" });
    this.marker = drawn("line", { class: "ed-marker", y1: riskTop, y2: errorBottom });
    this.riskDot = drawn("circle", { class: "ed-at", r: 5 });
    this.errorDot = drawn("circle", { class: "ed-at ed-at-error", r: 5 });
    node.append(this.pinLine, this.marker, this.errorDot);
    if (table) node.append(this.riskDot);
    return true;
  };

  Curve.prototype.axis = function (ticks, y, left, right) {
    var node = this.node;
    ticks.forEach(function (tick) {
      node.append(drawn("line", { class: "ed-grid", x1: left, x2: right, y1: y(tick[0]), y2: y(tick[0]) }),
        drawn("text", { class: "ed-tick", x: left - 5, y: y(tick[0]) + 4, "text-anchor": "end" }, tick[1]));
    });
  };

  Curve.prototype.show = function (index, pinned) {
    if (!this.width) return;
    var x = this.x(this.dial.budgets[index]).toFixed(1);
    set(this.marker, "x1", x);
    set(this.marker, "x2", x);
    set(this.errorDot, "cx", x);
    set(this.errorDot, "cy", this.error(this.costs[index].error).toFixed(1));
    if (this.dial.table) {
      set(this.riskDot, "cx", x);
      set(this.riskDot, "cy", this.risk(this.dial.table.lines[index].risk).toFixed(1));
    }
    set(this.pinLine, "visibility", pinned === null ? "hidden" : "visible");
    if (pinned !== null) {
      var at = this.x(this.dial.budgets[pinned]).toFixed(1);
      set(this.pinLine, "x1", at);
      set(this.pinLine, "x2", at);
    }
  };

  function path(budgets, point) {
    return budgets.map(function (budget, i) {
      var at = point(budget, i);
      return (i ? "L" : "M") + at[0].toFixed(1) + " " + at[1].toFixed(1);
    }).join("");
  }

  scope.EpsilensDrawings = {
    element: element, drawn: drawn, say: say, set: set, show: show, template: template, nearest: nearest,
    heading: heading, IconArray: IconArray, Strip: Strip, Curve: Curve
  };
})(typeof globalThis !== "undefined" ? globalThis : this);
