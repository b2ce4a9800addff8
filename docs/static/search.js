// What a word means comes first, and what merely bears its name in Python last.
// "var", since the script behind this one declares the name once more.
var Scorer = {
  score: ([page, , , said, score]) =>
    page === "glossary" ? score + 30 : /^Python (attribute|property|method)/.test(said) ? score - 30 : score,
  // The rest are Sphinx's own numbers.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
