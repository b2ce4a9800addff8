/* The dial of Epsilens: one control, the budget, moves guarantee, risk, cost and sentences together.
 *
 * It shows what it is given and words nothing: every sentence and every number is in the payload, one entry per budget.
 * Elements are made once; a move changes texts and attributes only. No library, no request, no markup made of data.
 */
(function (scope) {
  "use strict";

  var made = 0, drawings = scope.EpsilensDrawings;
  var element = drawings.element, drawn = drawings.drawn, say = drawings.say, set = drawings.set, show = drawings.show;
  var template = drawings.template, nearest = drawings.nearest, heading = drawings.heading;
  var IconArray = drawings.IconArray, Strip = drawings.Strip, Curve = drawings.Curve;

  function Dial(root, payload, options) {
    this.root = root;
    this.payload = payload;
    this.words = payload.words;
    this.options = options || {};
    this.prior = payload.prior_start;
    this.which = Math.min(Math.max(this.options.dial || 0, 0), payload.dials.length - 1);
    this.pinnedBudget = null;
    this.id = "epsilens-dial-" + (made += 1);
    this.level = this.options.level || 3;
    this.build(this.options.index);
  }

  Dial.prototype.build = function (index) {
    var payload = this.payload, words = this.words, dial = payload.dials[this.which], self = this;
    this.dial = dial;
    this.guarantee = payload.guarantees[dial.guarantee];
    this.costs = payload.costs[dial.cost];
    var last = dial.budgets.length - 1;
    this.index = Math.min(Math.max(index === undefined || index === null ? dial.start : index, 0), last);
    this.curve = new Curve(payload, dial, this.costs);
    this.strip = new Strip(words);
    var body = element("div", { class: "ed", role: "group", "aria-label": words.title }, [
      this.head(), this.control(),
      element("div", { class: dial.table ? "ed-panels" : "ed-panels ed-public" }, [this.guaranteePanel(), this.tablePanel(), this.costPanel(), this.curvePanel()]),
      this.comparison(), this.everyBudget(),
      element("p", { class: "ed-note" }, words.not_covered)
    ]);
    if (this.watch) this.watch.disconnect();
    this.root.replaceChildren(body);
    this.resize();
    if (scope.ResizeObserver) {
      this.watch = new scope.ResizeObserver(function () { if (self.resize()) self.update(); });
      this.watch.observe(body);
    }
    this.update();
  };

  Dial.prototype.resize = function () {
    var strip = this.strip.node.parentNode.clientWidth || 320, curve = this.curve.node.parentNode.clientWidth || 320;
    var first = this.strip.resize(strip), second = this.curve.resize(curve);
    return first || second;
  };

  Dial.prototype.head = function () {
    var payload = this.payload, words = this.words, dial = this.dial, self = this;
    var head = element("div", { class: "ed-head" });
    if (payload.internal) head.append(element("p", { class: "ed-label" }, element("strong", {}, payload.label)));
    if (dial.table) head.append(element("p", { class: "ed-subject" }, dial.table.subject));
    var choices = element("div", { class: "ed-choices" });
    ["mechanism", "measure", "attribute"].forEach(function (name) {
      var values = [];
      payload.dials.forEach(function (one) {
        if (one.choice[name] !== null && values.indexOf(one.choice[name]) < 0) values.push(one.choice[name]);
      });
      if (values.length < 2) return;
      var select = element("select", { id: self.id + "-" + name }, values.map(function (value) {
        return element("option", { selected: value === dial.choice[name] }, value);
      }));
      select.addEventListener("change", function () { self.choose(name, values[select.selectedIndex]); });
      choices.append(element("label", { for: select.id }, [words.choose[name], " ", select]));
    });
    if (choices.childNodes.length) head.append(choices);
    head.append(element("p", { class: "ed-noise" }, dial.noise));
    return head;
  };

  /* the dial with this value, and as many of the other values as there is one with */
  Dial.prototype.choose = function (name, value) {
    var now = this.dial.choice, best = -1, most = -1;
    this.payload.dials.forEach(function (one, i) {
      if (one.choice[name] !== value) return;
      var same = Object.keys(now).filter(function (key) { return one.choice[key] === now[key]; }).length;
      if (same > most) { most = same; best = i; }
    });
    if (best < 0) return;
    var budget = this.dial.budgets[this.index], same = this.payload.dials[best].parameter === this.dial.parameter;
    this.which = best;
    if (!same) this.pinnedBudget = null;
    this.build(same ? nearest(this.payload.dials[best].budgets, budget) : undefined);
    var again = this.root.querySelector("#" + this.id + "-" + name);
    if (again) again.focus();
    this.tell();
  };

  Dial.prototype.control = function () {
    var words = this.words, dial = this.dial, self = this, last = dial.budgets.length - 1;
    this.slider = element("input", { type: "range", min: 0, max: last, step: 1, value: this.index, class: "ed-slider",
      id: this.id + "-slider", "aria-describedby": this.id + "-ends" });
    this.slider.value = this.index;
    this.slider.addEventListener("input", function () { self.move(Number(self.slider.value)); });
    this.slider.addEventListener("change", function () { self.tell(); });
    this.slider.addEventListener("keydown", function (event) { self.key(event); });
    var ticks = element("div", { class: "ed-ticks", "aria-hidden": "true" }, dial.ticks.map(function (i) {
      var one = dial.budget_texts[i].replace(/[0.]/g, "")[0] === "1";
      var tick = element("span", { class: one ? "ed-decade" : "" }, dial.budget_texts[i]);
      tick.style.setProperty("--at", last ? i / last : 0.5);
      return tick;
    }));
    this.box = element("input", { type: "text", inputmode: "decimal", class: "ed-box", id: this.id + "-box",
      autocomplete: "off", "aria-describedby": this.id + "-message" });
    this.box.addEventListener("change", function () { self.typed(); });
    this.box.addEventListener("keydown", function (event) { if (event.key === "Enter") self.typed(); });
    this.message = element("p", { class: "ed-message", role: "status", id: this.id + "-message" });
    this.pinButton = element("button", { type: "button", "aria-pressed": "false" }, words.pin);
    this.pinButton.addEventListener("click", function () { self.pin(); });
    this.copyButton = element("button", { type: "button" }, words.copy);
    this.copyButton.addEventListener("click", function () { self.copy(); });
    var buttons = [this.pinButton, this.copyButton];
    if (dial.table && dial.table.chosen !== null) {
      var go = element("button", { type: "button" }, dial.table.chosen_text);
      go.addEventListener("click", function () { self.move(nearest(dial.budgets, dial.table.chosen)); self.tell(); });
      buttons.push(go);
    }
    this.sentences = element("textarea", { class: "ed-copy", readonly: true, rows: 6, hidden: true,
      "aria-label": words.copy });
    return element("div", { class: "ed-control" }, [
      element("div", { class: "ed-row" }, [
        element("label", { class: "ed-name", for: this.slider.id }, words.dial),
        element("span", { class: "ed-value" }, [
          element("label", { for: this.box.id }, dial.parameter), " ", this.box])
      ]),
      element("div", { class: "ed-track" }, [
        element("div", { class: "ed-ends", id: this.id + "-ends" }, [
          element("span", {}, "\u2190 " + words.more_noise), element("span", {}, words.less_noise + " \u2192")]),
        this.slider, ticks]),
      this.message,
      element("div", { class: "ed-buttons" }, buttons), this.sentences
    ]);
  };

  Dial.prototype.guaranteePanel = function () {
    var words = this.words, self = this, payload = this.payload;
    this.ifNot = { icons: new IconArray("ed-of-guarantee"), text: element("p", { class: "ed-sentence" }) };
    this.ifSo = { icons: new IconArray("ed-of-guarantee"), text: element("p", { class: "ed-sentence" }) };
    this.weak = element("p", { class: "ed-weak", role: "note" });
    this.belief = element("p", { class: "ed-sentence ed-belief" });
    this.priorSlider = element("input", { type: "range", min: 0, max: payload.priors.length - 1, step: 1,
      id: this.id + "-prior" });
    this.priorSlider.value = this.prior;
    this.priorSlider.addEventListener("input", function () {
      self.prior = Number(self.priorSlider.value);
      self.update();
    });
    this.priorText = element("output", { for: this.id + "-prior", class: "ed-prior-text" });
    this.panelA = element("section", { class: "ed-panel ed-a", "aria-labelledby": this.id + "-a" }, [
      heading(this.level, words.guarantee),
      element("p", { class: "ed-sentence" }, this.guarantee.setting),
      element("div", { class: "ed-worlds" }, [
        element("div", { class: "ed-world" }, [this.ifNot.icons.node, this.ifNot.text]),
        element("div", { class: "ed-world" }, [this.ifSo.icons.node, this.ifSo.text])]),
      this.weak, this.belief,
      element("div", { class: "ed-prior" }, [
        element("label", { for: this.id + "-prior" }, words.prior), " ", this.priorSlider, " ", this.priorText]),
      element("p", { class: "ed-note" }, this.guarantee.basis)
    ]);
    this.panelA.querySelector("h" + this.level).id = this.id + "-a";
    return this.panelA;
  };

  Dial.prototype.tablePanel = function () {
    var table = this.dial.table, words = this.words;
    this.inTable = null;
    if (!table) return null;
    var own = { texts: table.lines[0].texts.map(function () { return element("p", { class: "ed-sentence" }); }) };
    own.count = Math.max.apply(null, table.lines.map(function (line) { return line.texts.length; }));
    while (own.texts.length < own.count) own.texts.push(element("p", { class: "ed-sentence" }));
    var title = heading(this.level, words.table, words.internal);
    title.id = this.id + "-b";
    var panel = element("section", { class: "ed-panel ed-b", "aria-labelledby": title.id }, [title]);
    if (table.lines[0].shown_text) {
      own.icons = new IconArray("ed-of-table");
      own.shown = element("p", { class: "ed-sentence" });
      own.believing = element("p", { class: "ed-sentence" });
      panel.append(element("div", { class: "ed-world" }, [own.icons.node, element("div", {}, [
        element("p", { class: "ed-key", "aria-hidden": "true" }, [
          mark("ed-right"), words.shown_rightly + " ", mark("ed-wrong"), words.shown_wrongly + " ", mark("ed-rest"),
          words.neither]),
        own.shown])]), own.believing);
    }
    panel.append.apply(panel, own.texts);
    if (table.bands.length) {
      own.bars = table.bands.map(function (text) {
        var bar = drawn("rect", { class: "ed-bar", x: 0, y: 0, height: 10, width: 0 });
        var ghost = drawn("rect", { class: "ed-ghost-line", x: 0, y: 0.5, height: 9, width: 0, visibility: "hidden" });
        return { bar: bar, ghost: ghost, count: element("td", { class: "ed-number" }), row: element("tr", {}, [
          element("th", { scope: "row" }, text),
          element("td", { class: "ed-bar-cell", "aria-hidden": "true" },
            drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none" }, [bar, ghost]))]) };
      });
      own.bars.forEach(function (bar) { bar.row.append(bar.count); });
      panel.append(element("table", { class: "ed-bands" }, [element("caption", {}, words.bands),
        element("tbody", {}, own.bars.map(function (bar) { return bar.row; }))]));
    }
    panel.append(element("p", { class: "ed-note" }, table.without_noise_sentence),
      element("p", { class: "ed-note" }, table.explained));
    this.inTable = own;
    return panel;
  };

  function mark(name) {
    return drawn("svg", { class: "ed-key-mark", viewBox: "0 0 10 10" },
      drawn("rect", { class: name, x: 1, y: 1, width: 8, height: 8, rx: name === "ed-wrong" ? 4 : 1.2 }));
  }

  Dial.prototype.costPanel = function () {
    var title = heading(this.level, this.words.cost);
    title.id = this.id + "-c";
    this.interval = element("p", { class: "ed-sentence" });
    this.error = element("p", { class: "ed-sentence" });
    return element("section", { class: "ed-panel ed-c", "aria-labelledby": title.id }, [
      title,
      element("figure", { class: "ed-figure" }, [element("figcaption", {}, this.words.dots),
        element("div", { class: "ed-canvas" }, this.strip.node)]),
      this.interval, this.error, element("p", { class: "ed-note" }, this.words.interval_note)
    ]);
  };

  Dial.prototype.curvePanel = function () {
    var table = this.dial.table, title = heading(this.level, table ? this.words.curve : this.words.curve_of_error, table ? this.words.internal : "");
    title.id = this.id + "-d";
    return element("section", { class: "ed-panel ed-d", "aria-labelledby": title.id }, [
      title,
      element("figure", { class: "ed-figure" }, [
        element("div", { class: "ed-canvas" }, this.curve.node),
        table ? element("figcaption", {}, [table.safe_text ? mark("ed-safe") : null,
          table.safe_text ? table.safe_text + " " : "", table.curve_text]) : null])
    ]);
  };

  Dial.prototype.comparison = function () {
    var dial = this.dial, table = dial.table, words = this.words;
    var names = [words.dial + ", " + dial.parameter, dial.rows[0], dial.rows[1], ""]
      .concat(table ? table.rows : [], dial.rows.slice(2));
    this.compared = names.map(function (name) {
      var row = { name: element("th", { scope: "row" }, name), pinned: element("td"), now: element("td") };
      row.node = element("tr", {}, [row.name, row.pinned, row.now]);
      return row;
    });
    this.pinnedHead = element("th", { scope: "col" }, "");
    this.comparing = element("div", { class: "ed-compare", hidden: true }, element("table", {}, [
      element("caption", {}, words.compare),
      element("thead", {}, element("tr", {}, [element("td"), this.pinnedHead, element("th", { scope: "col" }, words.now)])),
      element("tbody", {}, this.compared.map(function (row) { return row.node; }))]));
    return this.comparing;
  };

  Dial.prototype.everyBudget = function () {
    var self = this, dial = this.dial, table = dial.table, words = this.words;
    var details = element("details", { class: "ed-every" }, element("summary", {}, words.every_budget));
    details.addEventListener("toggle", function () {
      if (!details.open || details.childNodes.length > 1) return;
      var names = [dial.parameter, dial.rows[0], dial.rows[1]].concat(table ? table.rows : [], dial.rows.slice(2));
      details.append(element("div", { class: "ed-scroll", tabindex: 0, role: "region", "aria-label": words.every_budget },
        element("table", {}, [
          element("caption", {}, words.every_budget + (table ? " (" + words.internal + ")" : "")),
          element("thead", {}, element("tr", {}, names.map(function (name) {
            return element("th", { scope: "col" }, name);
          }))),
          element("tbody", {}, dial.budgets.map(function (_, i) {
            return element("tr", {}, self.row(i).map(function (text, column) {
              return column ? element("td", {}, text) : element("th", { scope: "row" }, text);
            }));
          }))])));
    });
    return details;
  };

  Dial.prototype.row = function (i) {
    var dial = this.dial;
    return [dial.budget_texts[i]].concat(this.guarantee.lines[i].rows, dial.table ? dial.table.lines[i].rows : [],
      this.costs[i].rows);
  };

  /* ------------------------------------------------------------------ moves */

  Dial.prototype.key = function (event) {
    var budgets = this.dial.budgets, up = event.key === "PageUp", down = event.key === "PageDown";
    if (!up && !down) return;
    event.preventDefault();
    this.move(nearest(budgets, budgets[this.index] * (up ? 10 : 0.1)));
    this.tell();
  };

  Dial.prototype.typed = function () {
    var text = this.box.value.trim(), value = Number(text.replace(",", ".")), words = this.words;
    if (!text) { this.box.value = this.dial.budget_texts[this.index]; return; }
    if (!(value > 0) || !isFinite(value)) {
      say(this.message, template(words.not_a_number, { typed: text, nearest: this.dial.budget_texts[this.index] }));
      return;
    }
    var index = nearest(this.dial.budgets, value), found = this.dial.budgets[index];
    this.move(index, true);
    var off = Math.abs(found - value) > 1e-9 * found;
    say(this.message, off ? template(words.off_grid, { typed: text, nearest: this.dial.budget_texts[index] }) : "");
    this.tell();
  };

  Dial.prototype.move = function (index, keepTyped) {
    this.index = Math.min(Math.max(index, 0), this.dial.budgets.length - 1);
    this.slider.value = this.index;
    if (!keepTyped) say(this.message, "");
    this.update(keepTyped);
    if (this.options.onInput) this.options.onInput(this.state());
  };

  Dial.prototype.state = function () {
    return { index: this.index, budget: this.dial.budgets[this.index], dial: this.which, parameter: this.dial.parameter };
  };

  Dial.prototype.tell = function () {
    if (this.options.onChange) this.options.onChange(this.state());
  };

  Dial.prototype.pin = function () {
    this.pinnedBudget = this.pinnedBudget === null ? this.dial.budgets[this.index] : null;
    this.update();
  };

  Dial.prototype.text = function () {
    var i = this.index, line = this.guarantee.lines[i], parts = [this.guarantee.spoken[i] + ".", this.dial.noise];
    parts.push(line.if_not_text, line.if_so_text, line.belief_texts[this.prior]);
    if (line.weak_text) parts.push(line.weak_text);
    if (this.dial.table) {
      var found = this.dial.table.lines[i];
      parts.push(this.payload.label + ":");
      if (found.shown_text) parts.push(found.shown_text, found.believing_text);
      parts = parts.concat(found.texts);
    }
    return parts.concat([this.costs[i].interval_text, this.costs[i].error_text]).join(" ");
  };

  Dial.prototype.copy = function () {
    var self = this, text = this.text(), words = this.words;
    function byHand() {
      self.sentences.value = text;
      show(self.sentences, true);
      self.sentences.select();
      say(self.message, words.not_copied);
    }
    if (scope.navigator && scope.navigator.clipboard && scope.navigator.clipboard.writeText) {
      scope.navigator.clipboard.writeText(text).then(function () {
        show(self.sentences, false);
        say(self.message, words.copied);
      }, byHand);
    } else {
      byHand();
    }
  };

  /* everything that follows the dial: texts and attributes only */
  Dial.prototype.update = function (keepTyped) {
    var i = this.index, dial = this.dial, line = this.guarantee.lines[i], cost = this.costs[i], words = this.words;
    var pinned = this.pinnedBudget === null ? null : nearest(dial.budgets, this.pinnedBudget);
    set(this.slider, "aria-valuetext", this.guarantee.spoken[i]);
    if (!keepTyped) this.box.value = dial.budget_texts[i];
    var fill = line.weak ? "ed-amber" : "ed-sure";
    this.ifNot.icons.fill([[line.if_not_icons[0], line.if_not_icons[1], fill]]);
    this.ifSo.icons.fill([[line.if_so_icons[0], line.if_so_icons[1], fill]]);
    say(this.ifNot.text, line.if_not_text);
    say(this.ifSo.text, line.if_so_text);
    say(this.weak, line.weak_text);
    this.panelA.classList.toggle("ed-is-weak", line.weak);
    say(this.belief, line.belief_texts[this.prior]);
    set(this.priorSlider, "aria-valuetext", words.prior_labels[this.prior]);
    say(this.priorText, words.prior_labels[this.prior]);
    say(this.interval, cost.interval_text);
    say(this.error, cost.error_text);
    this.updateTable(i, pinned);
    var then = pinned === null ? null : this.guarantee.lines[pinned];
    this.ifNot.icons.pin(then && then.if_not_icons[0]);
    this.ifSo.icons.pin(then && then.if_so_icons[0]);
    this.strip.show(cost, pinned === null ? null : this.costs[pinned]);
    this.curve.show(i, pinned);
    set(this.pinButton, "aria-pressed", pinned !== null);
    say(this.pinButton, pinned === null ? words.pin : words.unpin);
    show(this.comparing, pinned !== null);
    if (pinned !== null) this.updateComparison(i, pinned);
  };

  Dial.prototype.updateTable = function (i, pinned) {
    var own = this.inTable, table = this.dial.table;
    if (!own) return;
    var line = table.lines[i], then = pinned === null ? null : table.lines[pinned];
    if (own.icons) {
      own.icons.fill([[line.right_icons[0], line.right_icons[1], "ed-right"],
        [line.wrong_icons[0], line.wrong_icons[1], "ed-wrong"]]);
      own.icons.pin(then && then.right_icons[0] + then.wrong_icons[0]);
      say(own.shown, line.shown_text);
      say(own.believing, line.believing_text);
    }
    own.texts.forEach(function (node, k) {
      say(node, line.texts[k] || "");
    });
    if (own.bars) {
      own.bars.forEach(function (bar, k) {
        set(bar.bar, "width", logShare(line.bands[k], table.people));
        say(bar.count, line.bands[k].toLocaleString("en-US"));
        set(bar.ghost, "visibility", then ? "visible" : "hidden");
        if (then) set(bar.ghost, "width", logShare(then.bands[k], table.people));
      });
    }
  };

  function logShare(count, everybody) {
    return (100 * Math.log1p(count) / Math.log1p(everybody)).toFixed(1);
  }

  Dial.prototype.updateComparison = function (i, pinned) {
    var words = this.words, prior = this.prior, self = this;
    var of = function (k) {
      var row = self.row(k);
      return row.slice(0, 3).concat([self.guarantee.lines[k].belief_shown[prior]], row.slice(3));
    };
    var then = of(pinned), now = of(i);
    say(this.pinnedHead, template(words.pinned, { pinned: this.dial.parameter + " " + this.dial.budget_texts[pinned] }));
    this.compared.forEach(function (row, k) {
      if (k === 3) say(row.name, words.prior_rows[prior]);
      say(row.pinned, then[k]);
      say(row.now, now[k]);
    });
  };

  Dial.prototype.destroy = function () {
    if (this.watch) this.watch.disconnect();
    this.root.replaceChildren();
  };

  /* ------------------------------------------------------------------ how pages use it */

  function mount(root, payload, options) {
    var dial = new Dial(root, payload, options), handle = {
      get index() { return dial.index; },
      get state() { return dial.state(); },
      get key() { return payload.key; },
      set: function (index) { if (index !== dial.index) dial.move(index); },
      text: function () { return dial.text(); },
      destroy: function () { dial.destroy(); }
    };
    root.epsilensDial = handle;
    return handle;
  }

  /* every dial that stands in the page as text, with its payload beside it */
  function mountAll(where) {
    (where || document).querySelectorAll("[data-epsilens-dial]").forEach(function (root) {
      var data = root.querySelector("script[type='application/json']");
      if (data && !root.epsilensDial) mount(root, JSON.parse(data.textContent), { level: Number(root.dataset.level) || 3 });
    });
  }

  scope.EpsilensDial = { mount: mount, mountAll: mountAll };
})(typeof globalThis !== "undefined" ? globalThis : this);
