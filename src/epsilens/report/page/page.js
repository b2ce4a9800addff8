"use strict";
/* What makes a page handier and is not needed to read it: texts to copy, and all that is folded opens in print. */
(function () {
  function copied(button, text) {
    const done = () => { button.textContent = "Copied"; };
    const marked = () => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const selection = window.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      button.textContent = "Marked: copy it now";
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(done, marked);
    else marked();
  }

  document.querySelectorAll("pre.code").forEach((text) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => copied(button, text));
    text.before(button);
  });

  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open]):not(.long)")];
    opened.forEach((folded) => { folded.open = true; });
    document.querySelectorAll(".epsilens-dial").forEach((dial) => { dial.dataset.theme = "light"; });
  });
  window.addEventListener("afterprint", () => {
    opened.forEach((folded) => { folded.open = false; });
    document.querySelectorAll(".epsilens-dial").forEach((dial) => { delete dial.dataset.theme; });
  });
})();
