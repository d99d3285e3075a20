"""How the page looks. Every text colour has a contrast of at least 4.5 (WCAG 2 AA) on the grounds it stands on."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f6f8fa; --line: #d0d7de;
  --ink: #1f2328; --quiet: #57606a;
  --pass: #116329; --inconclusive: #7d4e00; --fail: #a40e26;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --raised: #161b22; --line: #3d444d;
    --ink: #e6edf3; --quiet: #9da7b3;
    --pass: #56d364; --inconclusive: #e3b341; --fail: #ff8f8f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 75rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
.name { margin: 0; color: var(--quiet); letter-spacing: 0.04em; }
h1 { margin: 0 0 0.25rem; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.25rem; }
.pass { color: var(--pass); }
.inconclusive { color: var(--inconclusive); }
.fail { color: var(--fail); }
.counts { color: var(--quiet); }
dl { margin: 1.5rem 0 0; padding: 0.75rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; }
dt { flex: 0 0 9.5rem; color: var(--quiet); }
dd { margin: 0; min-width: 0; }
code { font: 0.875em/1.5 ui-monospace, monospace; }
code, bdi { overflow-wrap: anywhere; }
.frame { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.frame:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
table { width: 100%; min-width: 36rem; border-collapse: collapse; }
th, td { padding: 0.5rem 0.75rem; text-align: start; vertical-align: top; }
thead th { background: var(--raised); color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; min-width: 10rem; }
td { min-width: 8rem; }
td:last-child { min-width: 14rem; }
td span { font-weight: 600; white-space: nowrap; }
ul { margin: 0; padding: 0; list-style: none; }
@media print { .frame { overflow: visible; } }
"""
