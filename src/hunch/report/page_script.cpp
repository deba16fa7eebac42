#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "hunch/report/page_parts.hpp"

namespace hunch {

// It reads attributes and writes text, never markup.
std::string_view page_script() {
  return R"js(
"use strict";
(() => {
  const root = document.documentElement;
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  let shown = null;

  function show(hit) {
    if (shown === hit) return;
    if (shown) shown.classList.remove("on");
    shown = hit;
    tip.hidden = !hit;
    if (!hit) return;
    hit.classList.add("on");
    tip.textContent = hit.getAttribute("data-tip");
    place();
  }

  function place() {
    if (!shown) return;
    if (!shown.isConnected) return show(null);
    const box = shown.getBoundingClientRect();
    const width = tip.offsetWidth, height = tip.offsetHeight;
    const left = Math.min(Math.max(4, box.left + box.width / 2 - width / 2), root.clientWidth - width - 4);
    const above = box.top - height - 6;
    tip.style.left = left + "px";
    tip.style.top = (above > 4 ? above : Math.min(box.bottom + 6, innerHeight - height - 4)) + "px";
  }

  document.addEventListener("pointerover", (event) => {
    const target = event.target;
    show(target instanceof Element && target.classList.contains("hit") ? target : null);
  });
  document.addEventListener("scroll", place, {passive: true, capture: true});
  document.addEventListener("focusout", () => show(null));
  document.addEventListener("keydown", (event) => {
    const plot = event.target instanceof Element ? event.target.closest("svg.plot") : null;
    if (event.key === "Escape") show(null);
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!plot || !step) return;
    const hits = [...plot.querySelectorAll(".hit")];
    if (hits.length === 0) return;
    event.preventDefault();
    const at = hits.indexOf(shown);
    show(hits[at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length]);
  });

  root.classList.add("scripted");
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || event.target.id !== "theme") return;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
})();
)js";
}

// A report is taken apart by the browser's parser, in a document of its own where no script runs.
std::string_view live_script() {
  return R"js(
"use strict";
(() => {
  const place = document.getElementById("report");
  const words = document.getElementById("status");
  let version = "";

  function focusable() {
    return [...place.querySelectorAll("[tabindex], summary, a")];
  }

  function take(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    if (!fresh) return;
    const active = document.activeElement;
    const inside = place.contains(active);
    const id = inside ? active.id : "";
    const number = inside ? focusable().indexOf(active) : -1;
    const open = [...place.querySelectorAll("details")].map((one) => one.open);
    const across = [...place.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
    const x = scrollX, y = scrollY;
    place.replaceChildren(...fresh.childNodes);
    place.querySelectorAll("details").forEach((one, i) => { one.open = open[i] || false; });
    place.querySelectorAll(".scroll").forEach((one, i) => { one.scrollLeft = across[i] || 0; });
    const again = (id && document.getElementById(id)) || focusable()[number];
    if (again) again.focus({preventScroll: true});
    scrollTo({left: x, top: y, behavior: "instant"});
  }

  async function look() {
    try {
      const status = await fetch("/status", {cache: "no-store"});
      words.textContent = await status.text();
      const now = status.headers.get("Hunch-Report");
      if (now !== version && now !== "none") {
        const report = await fetch("/report.html", {cache: "no-store"});
        if (report.ok) {
          take(await report.text());
          version = now;
        }
      }
    } catch {
      words.textContent = "hunch watch has ended; what is shown is the last it told.";
    }
    setTimeout(look, 2000);
  }
  look();
})();
)js";
}

std::string policy_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  std::array<unsigned char, 4 * ((EVP_MAX_MD_SIZE + 2) / 3) + 1> coded{};
  const int size = EVP_EncodeBlock(coded.data(), digest.data(), static_cast<int>(length));
  return "'sha256-" +
         std::string(reinterpret_cast<const char*>(coded.data()), static_cast<std::size_t>(size)) + "'";
}

}  // namespace hunch
