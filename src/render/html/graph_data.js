'use strict';
// The embedded data as columns, who calls whom in both directions, and the search. Untrusted text comes in here as strings
// and leaves only through textContent and setAttribute.
const CERTAINTY = ['exact', 'possible', 'by name'];
const KIND = ['', 'constructs', 'module call', 'autograd', 'implicit', 'callback'];
const FLAG = { entry: 1, test: 2, hot: 4, body: 8, lambda: 16 };

const graph = (() => {
  const raw = JSON.parse(document.getElementById('data').textContent);
  const count = raw.nodes.length;
  const fileOf = new Int32Array(count);
  raw.files.forEach((file, at) => fileOf.fill(at, file.first, file.first + file.count));
  // Edges lie in one array of numbers: target (external names as -1 - index), bits, then the lines of the sites.
  // bits: certainty (2), kind (3), in a loop (1), number of lines (the rest).
  const callsOf = (node) => {
    const calls = [];
    const numbers = raw.calls[node];
    for (let i = 0; i < numbers.length;) {
      const bits = numbers[i + 1];
      const lines = numbers.slice(i + 2, i + 2 + (bits >> 6));
      calls.push({ to: numbers[i], certainty: bits & 3, kind: (bits >> 2) & 7, loop: (bits & 32) !== 0, lines });
      i += 2 + lines.length;
    }
    return calls;
  };
  const starts = new Int32Array(count + 1);
  const each = (visit) => {
    for (let node = 0; node < count; ++node) {
      const numbers = raw.calls[node];
      for (let i = 0; i < numbers.length; i += 2 + (numbers[i + 1] >> 6)) if (numbers[i] >= 0) visit(node, numbers[i]);
    }
  };
  each((from, to) => { ++starts[to + 1]; });
  for (let i = 0; i < count; ++i) starts[i + 1] += starts[i];
  const callers = new Int32Array(starts[count]);
  const next = starts.slice();
  each((from, to) => { callers[next[to]++] = from; });

  const name = (node) => raw.nodes[node][0];
  const file = (node) => raw.files[fileOf[node]];
  // The code of a file goes by the file's path.
  const label = (node) => (raw.nodes[node][5] & FLAG.body ? file(node).path : name(node));
  const qualified = (node) => `${file(node).module}.${name(node)}`;
  return {
    raw, count, fileOf, name, label, file, qualified, callsOf,
    params: (node) => raw.nodes[node][1], doc: (node) => raw.nodes[node][2],
    first: (node) => raw.nodes[node][3], last: (node) => raw.nodes[node][4],
    flags: (node) => raw.nodes[node][5], step: (node) => raw.nodes[node][6], rank: (node) => raw.nodes[node][7],
    collectives: (node) => raw.collectives[node] || [], syncs: (node) => raw.syncs[node] || [],
    config: (node) => raw.config[node] || [],
    external: (at) => raw.external[-1 - at],
    callersOf: (node) => Array.from(callers.subarray(starts[node], starts[node + 1])),
    // "pkg.mod.f:12": functions of one name differ by their line; without the line, or when it moved, the first of the name.
    address: (node) => `${qualified(node)}:${raw.nodes[node][3]}`,
    find: (text) => {
      const colon = text.lastIndexOf(':');
      const wanted = colon < 0 ? text : text.slice(0, colon);
      const line = colon < 0 ? -1 : Number(text.slice(colon + 1));
      let first = -1;
      for (let node = 0; node < count; ++node) {
        if (qualified(node) !== wanted) continue;
        if (raw.nodes[node][3] === line) return node;
        if (first < 0) first = node;
      }
      return first;
    },
  };
})();

// Every word must occur in the qualified name or path; whole names first, then beginnings, then what matters most.
function search(text, most) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return { found: [], total: 0 };
  const hits = [];
  for (let node = 0; node < graph.count; ++node) {
    if (graph.flags(node) & FLAG.lambda) continue;
    const local = graph.name(node).toLowerCase();
    const whole = `${graph.qualified(node)} ${graph.file(node).path}`.toLowerCase();
    if (!words.every((word) => whole.includes(word))) continue;
    const last = local.slice(local.lastIndexOf('.') + 1);
    const first = words[0];
    const score = (local === first || last === first ? 4000 : last.startsWith(first) ? 2000 : local.includes(first) ? 1000 : 0) +
      graph.rank(node);
    hits.push([score, node]);
  }
  hits.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  return { found: hits.slice(0, most).map((hit) => hit[1]), total: hits.length };
}

// Elements: never from markup.
function make(tag, options, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(options || {})) {
    if (key === 'class') element.className = value;
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}
