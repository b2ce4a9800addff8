"use strict";
/* Puts the dials of a page to work; without it their words are there already. */
(function () {
  document.querySelectorAll("[data-dial]").forEach((place) => {
    const payload = JSON.parse(document.getElementById(place.dataset.dial).textContent);
    window.EpsilensDial.mount(place, payload, {});
  });
})();
