#include "hunch/report/page_parts.hpp"

namespace hunch {

// Colours are the Okabe-Ito ones, darker on light paper and lighter on dark: told apart by all kinds of eyes.
std::string_view page_style() {
  return R"css(
:root {
  color-scheme: light;
  --paper: #fbfbf9; --card: #ffffff; --ink: #1d232b; --muted: #59626e; --line: #d5d9de; --grid: #eceef1;
  --link: #0a5f98; --hover: rgba(29, 35, 43, .10);
  --accepted: #0b6fb0; --rejected: #c85200; --failed: #a3195b; --learning: #808894; --free: #c9d0d8;
  --posterior: #8fb9d9; --prior: #c85200; --median: #1d232b; --unsure: #dcbf5e;
  --d1: #e6eff6; --d2: #c8dded; --d3: #9bc3e0; --d4: #6aa5d0;
  --c0: #0072b2; --c1: #d55e00; --c2: #00875f; --c3: #aa3377; --c4: #3c97cc; --c5: #a87a00; --c6: #6a3d9a; --c7: #5b6470;
  --good: #17693f; --good-paper: #eaf5ee; --caution: #7d5200; --caution-paper: #fbf3e2;
  --bad: #a3241c; --bad-paper: #fbeceb; --waiting: #0a5f98; --waiting-paper: #eaf2f9;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    color-scheme: dark;
    --paper: #13161b; --card: #1a1e25; --ink: #e7e9ec; --muted: #a6b0bd; --line: #363d48; --grid: #272d36;
    --link: #7cc0f2; --hover: rgba(231, 233, 236, .16);
    --accepted: #5fb4ec; --rejected: #f0a04b; --failed: #f078b4; --learning: #8d97a5; --free: #4d5765;
    --posterior: #3f74a0; --prior: #f0a04b; --median: #e7e9ec; --unsure: #94782a;
    --d1: #1c2a38; --d2: #23405a; --d3: #2c5a80; --d4: #3d7fb0;
    --c0: #56b4e9; --c1: #f0883e; --c2: #2dc08d; --c3: #e377b0; --c4: #a5d8f7; --c5: #e6b800; --c6: #b294e0; --c7: #b9c0c9;
    --good: #74d6a0; --good-paper: #12281d; --caution: #f0c060; --caution-paper: #2e2613;
    --bad: #ff9c94; --bad-paper: #321a19; --waiting: #7cc0f2; --waiting-paper: #152738;
  }
}
:root[data-theme="dark"] {
  color-scheme: dark;
  --paper: #13161b; --card: #1a1e25; --ink: #e7e9ec; --muted: #a6b0bd; --line: #363d48; --grid: #272d36;
  --link: #7cc0f2; --hover: rgba(231, 233, 236, .16);
  --accepted: #5fb4ec; --rejected: #f0a04b; --failed: #f078b4; --learning: #8d97a5; --free: #4d5765;
  --posterior: #3f74a0; --prior: #f0a04b; --median: #e7e9ec; --unsure: #94782a;
  --d1: #1c2a38; --d2: #23405a; --d3: #2c5a80; --d4: #3d7fb0;
  --c0: #56b4e9; --c1: #f0883e; --c2: #2dc08d; --c3: #e377b0; --c4: #a5d8f7; --c5: #e6b800; --c6: #b294e0; --c7: #b9c0c9;
  --good: #74d6a0; --good-paper: #12281d; --caution: #f0c060; --caution-paper: #2e2613;
  --bad: #ff9c94; --bad-paper: #321a19; --waiting: #7cc0f2; --waiting-paper: #152738;
}
* { box-sizing: border-box; }
html { background: var(--paper); }
body {
  margin: 0 auto; padding: 2.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 1180px;
  background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
header { display: flex; gap: 1rem; align-items: flex-start; justify-content: space-between; margin-bottom: 1.5rem; }
h1 { font-size: clamp(1.5rem, 4vw, 2.1rem); line-height: 1.2; margin: 0 0 .3rem; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .7rem; font-weight: 620; }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .3rem; font-weight: 620; }
p { margin: 0 0 .7rem; max-width: 46rem; }
header p, .legend, figcaption, dt, section > p { color: var(--muted); }
header p { margin: 0; }
a { color: var(--link); }
button {
  flex: none; font: inherit; font-size: .85rem; color: var(--ink); background: var(--card); border: 1px solid var(--line);
  border-radius: 999px; padding: .35rem .9rem; cursor: pointer;
}
:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 4px; }
#theme { display: none; }
.scripted #theme { display: block; }
nav { margin: 2rem 0 0; font-size: .9rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: 0; }
section { margin-top: 3rem; }
.verdict { margin-top: 0; padding: 1.2rem 1.5rem; border-radius: 10px; border-left: 6px solid var(--tone); background: var(--tone-paper); }
.verdict h2 { color: var(--tone); font-size: 1.45rem; margin-bottom: .4rem; }
.verdict p { margin: .2rem 0; color: var(--ink); }
.verdict .advice { font-weight: 550; }
.verdict .sign { display: inline-block; min-width: 1.5em; font-weight: 700; }
.good { --tone: var(--good); --tone-paper: var(--good-paper); }
.caution { --tone: var(--caution); --tone-paper: var(--caution-paper); }
.bad { --tone: var(--bad); --tone-paper: var(--bad-paper); }
.waiting { --tone: var(--waiting); --tone-paper: var(--waiting-paper); }
.remark { margin-top: 1rem; padding: .8rem 1.2rem; border-radius: 10px; background: var(--caution-paper); color: var(--ink); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 1.2rem; margin: 1.8rem 0; }
.tile { display: flex; flex-direction: column; border-top: 1px solid var(--line); padding-top: .6rem; }
.tile dd { margin: 0; font-size: 1.65rem; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.tile dt { font-size: .85rem; line-height: 1.35; }
.quote { margin: 1.5rem 0 0; padding: 0; border: 0; background: none; }
.quote blockquote { margin: .2rem 0 0; padding-left: 1rem; border-left: 2px solid var(--line); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; margin: .4rem 0 .8rem; }
th, td { padding: .38rem .75rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--grid); }
thead th { color: var(--muted); font-weight: 500; border-bottom: 1px solid var(--line); }
tbody th { text-align: left; font-weight: 600; white-space: normal; max-width: 18rem; min-width: 6rem; }
thead th:first-child, .words { text-align: left; }
td.words { max-width: 24rem; white-space: normal; color: var(--muted); min-width: 9rem; }
td.message { max-width: 40rem; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .8rem; white-space: pre-wrap; }
.poor { color: var(--bad); font-weight: 700; }
pre { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; font-size: .82rem; line-height: 1.5; overflow-wrap: normal; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--link); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; margin: 0 0 .8rem; padding: 0; font-size: .88rem; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 3px; margin-right: .45em; background: var(--mark); }
.swatch.prior, .swatch.median { height: 3px; border-radius: 0; vertical-align: .28em; width: 1.1em; }
.swatch.rejected { background: none; border: 2px solid var(--mark); border-radius: 50%; }
.swatch.accepted, .swatch.learning { border-radius: 50%; }
#bill .swatch { background: var(--mark); border: 0; border-radius: 3px; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); gap: 1.4rem 1.6rem; }
.double { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 1.4rem 1.6rem; align-items: start; }
.triple { display: grid; grid-template-columns: minmax(0, 1.68fr) minmax(0, 1fr) minmax(0, 1fr); gap: .4rem 1.4rem; margin-bottom: 1.4rem; }
figure { margin: 0; min-width: 0; }
figcaption { font-size: .88rem; margin-bottom: .2rem; line-height: 1.35; max-height: 6.8em; overflow: auto; }
figcaption bdi { color: var(--ink); font-weight: 600; }
.pair-row { display: flex; }
.pair-row figure { flex: none; }
.pairs { padding-bottom: .4rem; }
svg { overflow: hidden; }
svg.plot { display: block; height: auto; }
svg.plot:not(.fixed) { max-width: 34rem; }
svg text { font-size: 10.5px; fill: var(--muted); unicode-bidi: isolate; }
svg .x { text-anchor: middle; }
svg .y { text-anchor: end; }
svg .name { font-size: 11px; }
svg .note { fill: var(--ink); font-size: 11px; }
.tick, .floor { stroke: var(--line); fill: none; }
.gridline { stroke: var(--grid); fill: none; }
.line { fill: none; stroke: var(--mark); stroke-width: 1.6; stroke-linejoin: round; }
.line.thin { stroke-width: .8; }
.rule { stroke-width: 1.2; stroke-dasharray: 4 3; }
.area { fill: var(--mark); }
.dot { fill: none; stroke: var(--mark); stroke-width: 4.2; stroke-linecap: round; stroke-opacity: .75; }
.ring, .cross { fill: none; stroke: var(--mark); stroke-width: 1.2; stroke-opacity: .85; }
.cross { stroke-width: 1.7; }
.posterior { --mark: var(--posterior); } .prior { --mark: var(--prior); } .median { --mark: var(--median); }
.accepted { --mark: var(--accepted); } .rejected { --mark: var(--rejected); } .failed { --mark: var(--failed); }
.learning { --mark: var(--learning); } .free { --mark: var(--free); } .unsure { --mark: var(--unsure); }
.expected { --mark: var(--muted); } .paid { --mark: var(--d2); }
.dot.learning { stroke-width: 3; stroke-opacity: .55; }
.d1 { --mark: var(--d1); } .d2 { --mark: var(--d2); } .d3 { --mark: var(--d3); } .d4 { --mark: var(--d4); }
.c0 { --mark: var(--c0); } .c1 { --mark: var(--c1); } .c2 { --mark: var(--c2); } .c3 { --mark: var(--c3); }
.c4 { --mark: var(--c4); } .c5 { --mark: var(--c5); } .c6 { --mark: var(--c6); } .c7 { --mark: var(--c7); }
.hit { fill: transparent; }
.hit.on { fill: var(--hover); }
.tip {
  position: fixed; z-index: 9; pointer-events: none; white-space: pre-line; max-width: min(20rem, 90vw);
  background: var(--ink); color: var(--paper); border-radius: 6px; padding: .35rem .6rem; font-size: .8rem; line-height: 1.4;
  font-variant-numeric: tabular-nums;
}
.tip[hidden] { display: none; }
.status { font-size: .9rem; color: var(--muted); }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--muted); font-size: .85rem; }
@media (max-width: 760px) {
  .triple { grid-template-columns: minmax(0, 1fr); margin-bottom: 2rem; }
  body { padding-top: 1.2rem; }
  section { margin-top: 2.4rem; }
  .verdict { padding: 1rem 1.1rem; }
  svg.wide text, svg.wide .name, svg.wide .note { font-size: 14px; }
}
@media print {
  :root:root:root {
    color-scheme: light;
    --paper: #ffffff; --card: #ffffff; --ink: #000000; --muted: #444b55; --line: #c4c9cf; --grid: #e4e7ea; --link: #0a5f98;
    --accepted: #0b6fb0; --rejected: #c85200; --failed: #a3195b; --learning: #808894; --free: #c9d0d8;
    --posterior: #8fb9d9; --prior: #c85200; --median: #000000;
    --d1: #e6eff6; --d2: #c8dded; --d3: #9bc3e0; --d4: #6aa5d0;
    --c0: #0072b2; --c1: #d55e00; --c2: #00875f; --c3: #aa3377; --c4: #3c97cc; --c5: #a87a00; --c6: #6a3d9a; --c7: #5b6470;
    --good: #17693f; --good-paper: #ffffff; --caution: #7d5200; --caution-paper: #ffffff;
    --bad: #a3241c; --bad-paper: #ffffff; --waiting: #0a5f98; --waiting-paper: #ffffff;
  }
  body { max-width: none; padding: 0; font-size: 11pt; }
  nav, .scripted #theme, .tip { display: none; }
  figure, tr, .tile, .triple, .verdict { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .scroll, figcaption { overflow: visible; max-height: none; }
  table { font-size: .64rem; }
  th, td { padding: .25rem .38rem; }
  .pairs { zoom: .74; }
  .area, .swatch { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
)css";
}

}  // namespace hunch
